// One thread's epoll loop and its connections.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/worker_server/secure.hpp"
#include "bench/worker_server/workspace.hpp"
#include "protocol/date.hpp"
#include "protocol/server_connection.hpp"

namespace bulkhead::worker {

struct connection {
  connection(int socket, const protocol::limits& bounds) : fd(socket), http(bounds) {}

  int fd;
  bool lingers = false;  // all is sent; what comes is dropped until the peer ends
  bool peer_ended = false;
  bool may_read = true;  // the socket may hold more
  protocol::server_connection http;
  std::unique_ptr<workspace> space;  // unless idle
  std::unique_ptr<secure_connection> tls;
};

class worker {
 public:
  struct listener {
    int fd;
    const shared_tls* tls;  // null: plain
  };

  explicit worker(const std::vector<listener>& listeners);
  worker(const worker&) = delete;
  ~worker();

  // Until the descriptor can be read.
  void run(int stop_fd);

 private:
  enum class need : std::uint8_t { input, output, close };

  void accept_all(const listener& from);
  void watch(int fd, std::uint32_t events);
  void serve(connection& peer);
  bool go_on(connection& peer);
  bool receive(connection& peer);
  bool receive_secure(connection& peer);
  static bool end_of_stream(connection& peer);
  need advance(connection& peer);
  void answer_request(connection& peer);
  bool send(connection& peer);
  bool send_secure(connection& peer);
  bool finish(connection& peer);
  bool drop_input(connection& peer);
  void close(connection& peer);
  void rest(connection& peer);
  std::string_view date();

  protocol::limits bounds_;
  std::vector<listener> listeners_;
  int epoll_fd_;
  std::vector<std::unique_ptr<connection>> connections_;  // by descriptor
  std::vector<std::unique_ptr<workspace>> spares_;
  std::vector<char> received_;  // encrypted
  std::time_t second_ = -1;
  std::array<char, protocol::date_bytes> date_{};
};

}  // namespace bulkhead::worker
