// The bytes of one connection, in and out of its socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "actors/output_queue.hpp"
#include "actors/secure_channel.hpp"
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
    // Of receiving with TLS, before the handshake is done:
    plain_http,  // the peer does not speak TLS, but HTTP
    bad_tls,     // the handshake failed
  };

  // With TLS when there is something to make its configuration from.
  explicit transport(unique_fd socket, std::shared_ptr<tls::configurations> from = nullptr)
      : socket_(std::move(socket)),
        secure_(from ? std::make_unique<secure_channel>(std::move(from)) : nullptr) {}

  int fd() const { return socket_.get(); }

  // An event said that there is something to read; `hangup`: that the peer's side
  // ends, which makes no further event, so that we read until the end shows.
  void expect_input(bool hangup);
  // Whether the socket may hold more than was read.
  bool may_receive() const { return may_receive_ || holds_input_; }

  struct received {
    result outcome;
    std::size_t bytes = 0;
  };
  received receive(std::span<char> room);
  // SIGPIPE must be blocked or ignored: sendfile(2) has no flag against it.
  result send(output_queue& out);

  // --- TLS; its handshake is made by receive() ---

  // nullptr: none.
  secure_channel* secure() { return secure_.get(); }
  bool is_handshaking() const { return secure_ && !secure_->engine().is_open(); }
  // Encrypted bytes that the socket has not taken.
  std::size_t unsent_bytes() const { return secure_ ? secure_->unsent().size() : 0; }
  result send_unsent();
  // What the engine has to say goes out, as far as the socket takes it; from now on the
  // bytes are plain.
  void drop_security();
  // The session ended without a fault of its own: see engine::retire().
  void retire();

  // No more will be sent; the peer's bytes can still be read.
  void end_sending();
  // Closes so that the peer sees a reset: no half answer looks like a whole one.
  void abort();
  void close();

 private:
  received receive_plain(std::span<char> room);
  // Both send once, what comes next; `done`: some of it.
  result send_memory(output_queue& out);
  result send_file(output_queue& out);

  // In secure_transport.cpp:
  received receive_secure(std::span<char> room);
  result go_on_with_handshake(std::string_view fresh);
  received decrypt(std::string_view fresh, std::span<char> room);
  result send_secure(output_queue& out);
  void say_close();

  unique_fd socket_;
  std::unique_ptr<secure_channel> secure_;
  bool may_receive_ = true;  // until a read says otherwise
  bool hung_up_ = false;
  bool holds_input_ = false;  // the engine may have more, without the socket
};

}  // namespace bulkhead::actors
