// The connection of a blocking client: a socket, with TLS or without.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "actors/client.hpp"
#include "actors/socket.hpp"
#include "tls/client_engine.hpp"

namespace bulkhead::actors {

struct origin {
  std::string text;  // "https://localhost:8443", for errors
  std::string authority;
  std::string host;       // without brackets
  std::string host_port;  // with the port in any case
  bool secure = false;
};

// Throws std::invalid_argument that quotes the text.
origin parse_origin(std::string_view text);

class client_wire {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class end : std::uint8_t {
    none,    // it is open
    closed,  // the server has sent all that it wanted to
    cut,     // a reset, or TLS without close_notify: there may have been more
  };

  // Connects, and shakes hands if there is a context. Throws client_error. `to` must outlive it.
  client_wire(const origin& to, SSL_CTX* context, time_point until);
  client_wire(const client_wire&) = delete;
  client_wire& operator=(const client_wire&) = delete;
  // Says close_notify if that can be sent at once.
  ~client_wire();

  // Waits until something can be sent or received, then takes from `out` and appends to `in`.
  // False: the time had come before. Throws client_error when TLS fails.
  bool move(std::string& out, std::string& in, time_point until);

  // Without waiting: nothing has come, the end included.
  bool is_quiet();

  end ended() const { return end_; }
  // The server takes no more; it may still answer.
  bool refuses_output() const { return refuses_output_; }

 private:
  void connect(time_point until);
  int connect_to(const peer_address& address, time_point until);
  void shake_hands(time_point until);
  bool wait(short events, time_point until);
  void send_some(std::string& bytes);
  void receive_some(std::string& in);
  void decrypt(std::string_view received, std::string& in);
  [[noreturn]] void fail_tls();

  const origin& to_;
  unique_fd fd_;
  std::optional<tls::client_engine> engine_;
  std::string encrypted_;  // to be sent
  end end_ = end::none;
  bool refuses_output_ = false;
};

}  // namespace bulkhead::actors
