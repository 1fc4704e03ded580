#include "actors/transport.hpp"

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <cerrno>

namespace bulkhead::actors {

void transport::expect_input(bool hangup) {
  may_receive_ = true;
  hung_up_ = hung_up_ || hangup;
}

transport::received transport::receive(std::span<char> room) {
  return secure_ ? receive_secure(room) : receive_plain(room);
}

transport::received transport::receive_plain(std::span<char> room) {
  for (;;) {
    const auto got = ::recv(fd(), room.data(), room.size(), 0);
    if (got > 0) {
      const auto bytes = static_cast<std::size_t>(got);
      // A short read has emptied the socket, and the next byte makes a new event.
      may_receive_ = bytes == room.size() || hung_up_;
      return {result::done, bytes};
    }
    if (got < 0 && errno == EINTR) continue;
    may_receive_ = false;
    if (got == 0) return {result::ended};
    return {errno == EAGAIN ? result::blocked : result::failed};
  }
}

transport::result transport::send(output_queue& out) {
  if (secure_) return send_secure(out);
  while (!out.empty()) {
    const auto outcome = out.memory_size() > 0 ? send_memory(out) : send_file(out);
    if (outcome != result::done) return outcome;
  }
  return result::done;
}

transport::result transport::send_memory(output_queue& out) {
  const auto parts = out.unsent();
  // A head waits for the file behind it, to share a packet with it.
  const int flags = MSG_NOSIGNAL | (out.file().bytes > 0 ? MSG_MORE : 0);
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts.data());  // sendmsg does not write to it
  message.msg_iovlen = parts.size();
  const auto put = parts.size() == 1 ? ::send(fd(), parts[0].iov_base, parts[0].iov_len, flags)
                                     : ::sendmsg(fd(), &message, flags);
  if (put >= 0)
    out.advance(static_cast<std::size_t>(put));
  else if (errno == EAGAIN)
    return result::blocked;
  else if (errno != EINTR)
    return result::failed;
  return result::done;
}

transport::result transport::send_file(output_queue& out) {
  const auto& due = out.file();
  auto offset = static_cast<off_t>(due.offset);
  const auto put = ::sendfile(fd(), due.fd, &offset, static_cast<std::size_t>(due.bytes));
  if (put > 0) {
    out.advance_file(static_cast<std::size_t>(put));
    return result::done;
  }
  if (put == 0) return result::unreadable;
  switch (errno) {
    case EINTR:
      return result::done;
    case EAGAIN:
      return result::blocked;
    case EINVAL:
    case ENOSYS:
    case EOPNOTSUPP:
      return result::unsupported;
    case EIO:
    case ESPIPE:
    case EBADF:
    case EOVERFLOW:
      return result::unreadable;
    default:
      return result::failed;
  }
}

void transport::end_sending() {
  say_close();
  ::shutdown(fd(), SHUT_WR);
}

void transport::abort() {
  const linger at_once{1, 0};
  ::setsockopt(fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket_.reset();
}

void transport::close() {
  if (socket_) say_close();
  socket_.reset();
}

}  // namespace bulkhead::actors
