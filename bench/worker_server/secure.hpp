// TLS with one configuration for all: what sessions of their own cost is the difference.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tls/buffer_bio.hpp"
#include "tls/configurations.hpp"
#include "tls/host_copy.hpp"
#include "tls/session_state.hpp"

namespace bulkhead::worker {

// Shared by all connections of all threads: the SSL_CTX, the certificate and its key.
class shared_tls {
 public:
  // Throws std::invalid_argument that names the file and the reason.
  shared_tls(const std::string& certificate_file, const std::string& key_file);

  tls::ssl_ptr make_session(tls::session_state& state) const;

 private:
  std::shared_ptr<tls::configurations> pool_;
  std::unique_ptr<tls::host_copy> shown_;
  tls::ssl_ctx_ptr context_;
};

// One connection's TLS, in memory. After `failed` what is left in out() may still be sent.
class secure_connection {
 public:
  enum class status : std::uint8_t { done, need_input, ended, failed };
  struct result {
    status what;
    std::size_t bytes = 0;
  };

  explicit secure_connection(const shared_tls& from) : ssl_(from.make_session(state_)) {
    auto* const both = tls::make_buffer_bio(wire_).release();
    SSL_set_bio(ssl_.get(), both, both);
    SSL_set_accept_state(ssl_.get());
  }
  secure_connection(const secure_connection&) = delete;

  // What was received; a view that lives until the next is given.
  void receive(std::string_view encrypted) { input_ = encrypted; }
  // Decrypts into `room`, handshake first; need_input: all that was received is used.
  result read(std::span<char> room);
  void write(std::string_view content);
  void close();

  std::string& out() { return out_; }
  std::size_t sent = 0;  // of out()

 private:
  result judge(int returned);

  tls::session_state state_;
  tls::wire wire_;
  tls::ssl_ptr ssl_;
  std::string_view input_;
  std::string out_;
};

}  // namespace bulkhead::worker
