// One hostile peer: a socket that follows a script and never waits.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "actors/socket.hpp"
#include "faults/script.hpp"
#include "tls/client_engine.hpp"

namespace bulkhead::faults {

struct peer_place {
  actors::peer_address plain{};
  actors::peer_address secure{};
  std::string host;        // for TLS
  SSL_CTX* tls = nullptr;  // for scripts that shake hands
};

class peer {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  enum class end : std::uint8_t {
    none,           // it goes on
    left,           // by itself, the script's end
    server_closed,  // by the server
    server_reset,
    refused,  // there was no connection
    held,     // until its limit, or until it was told to leave
  };

  // Begins to connect. `place` must outlive it. Throws std::system_error: no descriptor.
  peer(script what, const peer_place& place, time_point now);

  int fd() const { return fd_.get(); }
  // Does what can be done by now; to be called for each event of the socket and at due(). `gone`:
  // the event said that the server has ended the connection. Something else than none: it is over.
  end run(time_point now, bool gone);
  time_point due() const { return due_; }
  void leave();

  // Of the first answer; 0: none came.
  int status() const;
  // Whether nothing came that the script does not allow.
  bool is_as_expected() const;
  // Ends with an answer, or wrongly.
  bool must_be_answered() const;

 private:
  enum class progress : std::uint8_t { wait, next, over };

  bool is_connected();
  progress act_once(const step& now_do, time_point now);
  progress send(std::string_view bytes);
  progress flush();
  progress drip(const step& now_do, time_point now);
  progress shake_hands();
  progress read(const step& now_do, time_point now);
  progress read_slowly(const step& now_do, time_point now);
  progress pause(const step& now_do, time_point now);
  // At most so many bytes; false: none is there now, or the connection has ended.
  bool receive(std::size_t most);
  void take(std::string_view bytes);
  void end_by(bool reset);

  script script_;
  const peer_place& place_;
  actors::unique_fd fd_;
  std::optional<tls::client_engine> engine_;
  time_point until_;
  time_point due_;
  time_point step_due_{};  // of the present step; none: it has not begun
  std::size_t step_ = 0;
  std::size_t done_bytes_ = 0;  // of the present step
  std::size_t received_bytes_ = 0;
  std::string received_;  // the beginning, without TLS
  std::string out_;
  bool has_begun_ = false;
  bool is_connected_ = false;
  end end_ = end::none;
};

}  // namespace bulkhead::faults
