// The server's side of one TLS connection: bytes in, bytes out. TLS 1.2 (RFC 5246)
// and 1.3 (RFC 8446).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tls/buffer_bio.hpp"
#include "tls/configurations.hpp"
#include "tls/error.hpp"
#include "tls/openssl.hpp"
#include "tls/session_state.hpp"

namespace bulkhead::tls {

// No socket and no deadline inside: the session gives what it received and sends what
// was appended to `out`, after every call, whatever the result. Views and buffers are
// used during the call only and may lie elsewhere in the next one. Nothing is built
// before a whole first record is there; then the engine holds a configuration of its
// own (configurations.hpp), which is destroyed with it unless retire() was called.
//
// One thread at a time, any thread: no call leaves anything in the thread's OpenSSL
// error queue. What a peer causes is a result, never an exception; after `failed` or
// `plain_http` there is nothing to do but to send `out` and to destroy the engine.
class engine {
 public:
  enum class status : std::uint8_t {
    done,        // the handshake is complete; `room` is full; the content is taken
    need_input,  // everything was consumed, or a first record that is not yet whole
    closed,      // the peer's close_notify: it sends no more, but may still read
    plain_http,  // before any handshake: looks like HTTP; nothing was consumed
    failed,      // why() says the reason; an alert may be in `out`
  };
  struct result {
    status what;
    std::size_t consumed = 0;  // bytes of the input; write(): of the content
    std::size_t produced = 0;  // bytes in `room`, also with need_input, closed and failed
  };

  explicit engine(std::shared_ptr<configurations> from);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  ~engine();

  // Until it is done. What was not consumed must come again, with more behind it.
  result handshake(std::string_view input, std::string& out);
  bool is_open() const { return state_.open; }

  // --- once it is open ---

  // Decrypts into `room`, which is not empty. After `done` call it again before waiting
  // for more, also with empty input: a record may be decrypted and not yet read. May
  // append to `out`, such as the answer to a key update.
  result read(std::string_view input, std::span<char> room, std::string& out);

  // Encrypts, in records of up to 16 KiB, until all content is taken or `out` holds
  // `out_bytes_max` or more. A record is whole in `out` when this returns: there is no
  // write to be repeated with the same bytes. Allowed after the peer's close_notify.
  result write(std::string_view content, std::string& out,
               std::size_t out_bytes_max = std::numeric_limits<std::size_t>::max());

  // Our close_notify, once; nothing can be written afterwards. Reading goes on until
  // the peer's comes (`closed`), as long as the session likes to wait.
  void close(std::string& out);

  // Whether the peer's close_notify was read. When the transport ends without it the
  // stream may have been cut by anybody (RFC 8446 section 6.1): normal after a
  // complete message, an abort in the middle of one. That is for the session to judge.
  bool peer_has_closed() const { return peer_has_closed_; }

  // The session ended without a fault: its configuration may serve the next one. A
  // fault of the handler, or any doubt: don't call. Destroy the engine afterwards.
  void retire() noexcept;

  // --- facts; empty before they are known and after a failure ---

  const error& why() const { return why_; }
  // As the client asked for it, in lower case; also after a failure.
  const std::string& server_name() const { return state_.server_name; }
  // Of hosts(); null before the ClientHello. Lives as long as the engine.
  const virtual_hosts::host* host() const { return state_.host; }
  const virtual_hosts& hosts() const { return state_.pool->hosts(); }
  std::string_view version() const;  // "TLSv1.3", static storage
  std::string_view cipher() const;   // the IANA name, static storage
  bool is_resumed() const;
  // RFC 7301; empty: the client did not ask. Lives as long as the engine.
  std::string_view protocol() const;

  struct client_certificate {
    std::string subject;      // RFC 2253 form, escaped
    std::string fingerprint;  // SHA-256 of the certificate, lower case hexadecimal
  };
  // Of the client, verified; none: it sent none or was not asked.
  std::optional<client_certificate> client() const;

  // Memory that OpenSSL holds for this session, estimated (bench/tls_bench.cpp).
  std::size_t held_bytes() const;

  // --- for tests ---

  const SSL* session() const { return ssl_.get(); }
  const session_state& state() const { return state_; }

 private:
  result begin(std::string_view input);
  bool build();
  void finish_handshake();
  result stop(int returned, result so_far);
  result fail(error why, result so_far);
  void drop() noexcept;

  session_state state_;
  wire wire_;
  ssl_ctx_ptr context_;
  ssl_ptr ssl_;
  error why_;
  bool peer_has_closed_ = false;
  bool has_closed_ = false;
};

}  // namespace bulkhead::tls
