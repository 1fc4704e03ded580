// The bytes of one connection, in and out of its socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "actors/output_queue.hpp"
#include "actors/socket.hpp"

namespace bulkhead::actors {

class transport {
 public:
  enum class result : std::uint8_t {
    done,     // bytes were received; or everything was sent
    blocked,  // wait for the next event
    ended,    // the peer has sent its last byte
    failed,   // the connection is gone
    // Of sending a file:
    unreadable,   // it has become shorter, or can't be read
    unsupported,  // the kernel can't send this file: read it
  };

  explicit transport(unique_fd socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }

  // An event said that there is something to read; `hangup`: that the peer's side
  // ends, which makes no further event, so that we read until the end shows.
  void expect_input(bool hangup);
  // Whether the socket may hold more than was read.
  bool may_receive() const { return may_receive_; }

  struct received {
    result outcome;
    std::size_t bytes = 0;
  };
  received receive(std::span<char> room);
  // SIGPIPE must be blocked or ignored: sendfile(2) has no flag against it.
  result send(output_queue& out);

  // No more will be sent; the peer's bytes can still be read.
  void end_sending();
  // Closes so that the peer sees a reset: no half answer looks like a whole one.
  void abort();
  void close() { socket_.reset(); }

 private:
  // Both send once, what comes next; `done`: some of it.
  result send_memory(output_queue& out);
  result send_file(output_queue& out);

  unique_fd socket_;
  bool may_receive_ = true;  // until a read says otherwise
  bool hung_up_ = false;
};

}  // namespace bulkhead::actors
