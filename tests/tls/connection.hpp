// Both ends of a TLS connection in memory: the engine, and OpenSSL's own client.
#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tests/tls/certificates.hpp"
#include "tls/engine.hpp"

namespace bulkhead::tests {

struct session_free {
  void operator()(SSL_SESSION* one) const { SSL_SESSION_free(one); }
};
using session_ptr = std::unique_ptr<SSL_SESSION, session_free>;

struct client_wish {
  std::string server_name = {};
  int version = 0;             // TLS1_2_VERSION, ...; 0: the highest
  std::string protocols = {};  // ALPN, length-prefixed
  std::string ciphers = {};    // of TLS 1.2
  const certified* certificate = nullptr;
  SSL_SESSION* resumed = nullptr;
  bool takes_tickets = true;
  SSL_CTX* context = nullptr;  // of client_context(), to spare making one
};

tls::ssl_ctx_ptr client_context(const client_wish& wish, OSSL_LIB_CTX* library = nullptr);

class client {
 public:
  explicit client(const client_wish& wish);
  client(const client&) = delete;
  client& operator=(const client&) = delete;
  // Not as a failure, which would spoil its tickets.
  ~client() { SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); }

  // One step each: takes `from_server`, appends what it says to `to_server`.
  bool handshake(std::string_view from_server, std::string& to_server);
  // What it has decrypted.
  std::string read(std::string_view from_server, std::string& to_server);
  void write(std::string_view text, std::string& to_server);
  void key_update(std::string& to_server);
  void renegotiate(std::string& to_server);
  void close(std::string& to_server);

  bool is_open() const { return SSL_is_init_finished(ssl_.get()); }
  bool has_failed() const { return alert_ != 0 || failed_; }
  bool is_closed() const { return SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN; }
  int fatal_alert() const { return alert_; }  // that the server sent, its number
  bool is_resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  // Its last ticket.
  session_ptr ticket() const { return session_ptr(SSL_get1_session(ssl_.get())); }
  SSL* raw() const { return ssl_.get(); }

 private:
  void give(std::string_view from_server);
  void take(std::string& to_server);
  void note(int returned);

  tls::ssl_ctx_ptr context_;
  tls::ssl_ptr ssl_;
  int alert_ = 0;
  bool failed_ = false;
};

// Moves bytes between the two until neither has more to say.
class connection {
 public:
  static constexpr std::size_t all = static_cast<std::size_t>(-1);

  connection(std::shared_ptr<tls::configurations> from, const client_wish& wish = {});

  // At most `step_bytes` arrive at the server at a time.
  void exchange(std::size_t step_bytes = all);
  // The server's part with what is there now.
  void serve(std::size_t visible_bytes = all);
  // The client's part.
  void answer();

  std::unique_ptr<tls::engine> server;
  client peer;
  std::string to_server;
  std::string to_client;
  std::string at_server;  // decrypted
  std::string at_client;
  std::size_t room_bytes = 16 * 1024;  // how much the server reads at once
  tls::engine::status last = tls::engine::status::need_input;

  bool is_open() const { return server->is_open() && peer.is_open(); }
};

std::shared_ptr<tls::configurations> configurations_of(
    std::vector<std::shared_ptr<const tls::material>> materials,
    tls::unknown_names rule = tls::unknown_names::get_default);

}  // namespace bulkhead::tests
