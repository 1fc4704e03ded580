// The client's side of one TLS connection: bytes in, bytes out. TLS 1.2 (RFC 5246) and 1.3 (RFC
// 8446), ALPN http/1.1; no resumption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tls/buffer_bio.hpp"
#include "tls/openssl.hpp"

namespace bulkhead::tls {

struct client_files {
  std::string ca_file = {};           // PEM: who is trusted; empty: whom the system trusts
  bool verify = true;                 // false: any server is taken for the one that was meant
  std::string certificate_file = {};  // PEM: the client's own, then each one's issuer; may be empty
  std::string key_file = {};          // PEM
  std::string password_file = {};     // its first line opens the key; empty: it is not encrypted
};

// For all connections of one client. Throws std::runtime_error that names the file and the reason.
ssl_ctx_ptr make_client_context(const client_files& files);

// No socket and no deadline inside; the caller sends what was appended to `out`, whatever the
// result. One thread at a time. After `failed` there is nothing to do but to send `out`.
class client_engine {
 public:
  enum class status : std::uint8_t {
    done,        // the handshake is complete
    need_input,  // everything was consumed
    closed,      // the peer's close_notify: it sends no more
    failed,      // why() says the reason
  };
  struct result {
    status what;
    std::size_t consumed = 0;  // bytes of the input
  };

  // `host` is a name, which is also sent (RFC 6066 section 3), or an address without brackets: what
  // the certificate has to be for (RFC 9110 section 4.3.4). Throws std::bad_alloc.
  client_engine(SSL_CTX& context, const std::string& host);
  client_engine(const client_engine&) = delete;
  client_engine& operator=(const client_engine&) = delete;

  // The first call with empty input, since the client begins. What was not consumed is for read().
  result handshake(std::string_view input, std::string& out);
  bool is_open() const { return open_; }

  // Appends all that can be decrypted to `content`; never `done`.
  result read(std::string_view input, std::string& content, std::string& out);
  // False: it failed.
  bool write(std::string_view content, std::string& out);
  // close_notify.
  void close(std::string& out);

  // After a failure: one phrase, with OpenSSL's words.
  const std::string& why() const { return why_; }
  // It was the server's certificate that failed.
  bool refused_certificate() const { return refused_certificate_; }

 private:
  result stop(int returned, std::size_t consumed);

  wire wire_;
  ssl_ptr ssl_;
  std::string why_;
  bool open_ = false;
  bool refused_certificate_ = false;
};

}  // namespace bulkhead::tls
