#include "bench/worker_server/worker.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "bench/worker_server/pages.hpp"

namespace bulkhead::worker {
namespace {

constexpr std::size_t events_max = 512;
constexpr std::size_t encrypted_bytes = 64 * 1024;
constexpr std::size_t output_bytes_high = 64 * 1024;
constexpr std::size_t copied_body_bytes_max = 4 * 1024;
constexpr std::size_t spares_max = 32;

}  // namespace

worker::worker(const std::vector<listener>& listeners)
    : listeners_(listeners), epoll_fd_(::epoll_create1(EPOLL_CLOEXEC)), received_(encrypted_bytes) {
  if (epoll_fd_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  for (const auto& each : listeners_) watch(each.fd, EPOLLIN);
}

worker::~worker() {
  for (auto& each : connections_)
    if (each) ::close(each->fd);
  ::close(epoll_fd_);
}

void worker::watch(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0)
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
}

void worker::run(int stop_fd) {
  watch(stop_fd, EPOLLIN);
  std::array<epoll_event, events_max> events;
  for (;;) {
    const int got = ::epoll_wait(epoll_fd_, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < got; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      const int fd = event.data.fd;
      if (fd == stop_fd) return;
      const auto from = std::find_if(listeners_.begin(), listeners_.end(),
                                     [fd](const listener& each) { return each.fd == fd; });
      if (from != listeners_.end()) {
        accept_all(*from);
        continue;
      }
      auto& peer = *connections_[static_cast<std::size_t>(fd)];
      peer.may_read = peer.may_read || (event.events & ~std::uint32_t{EPOLLOUT}) != 0;
      peer.peer_ended = (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
      serve(peer);
    }
  }
}

// Edge-triggered, in both directions at once, and never changed.
void worker::accept_all(const listener& from) {
  int fd = 0;
  while ((fd = ::accept4(from.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    const auto index = static_cast<std::size_t>(fd);
    if (index >= connections_.size()) connections_.resize(2 * index + 1);
    auto& peer = connections_[index];
    peer = std::make_unique<connection>(fd, bounds_);
    if (from.tls) peer->tls = std::make_unique<secure_connection>(*from.tls);
    watch(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
    serve(*peer);
  }
}

std::string_view worker::date() {
  if (const auto now = std::time(nullptr); now != second_)
    date_ = protocol::format_date(second_ = now);
  return {date_.data(), date_.size()};
}

void worker::serve(connection& peer) {
  if (!go_on(peer)) return close(peer);
  rest(peer);
}

// An idle connection holds no buffers.
void worker::rest(connection& peer) {
  if (!peer.space || !peer.http.idle() || !peer.space->is_empty()) return;
  if (spares_.size() < spares_max) spares_.push_back(std::move(peer.space));
  peer.space.reset();
}

// Reads, answers and writes until the socket has or takes no more. False: the connection is over.
bool worker::go_on(connection& peer) {
  if (peer.lingers) return drop_input(peer);
  if (!peer.space) {
    if (spares_.empty()) spares_.push_back(std::make_unique<workspace>(bounds_.fields_max));
    peer.space = std::move(spares_.back());
    spares_.pop_back();
  }
  for (;;) {
    const auto what = advance(peer);
    if (!send(peer)) return !peer.space->out.empty() || (peer.tls && !peer.tls->out().empty());
    if (what == need::close) return finish(peer);
    if (what == need::output) continue;
    if (!peer.may_read) return true;
    if (!(peer.tls ? receive_secure(peer) : receive(peer))) return false;
  }
}

// False: the peer is gone.
bool worker::receive(connection& peer) {
  const auto room = peer.space->room();
  const auto got = ::recv(peer.fd, room.data(), room.size(), 0);
  if (got < 0) return std::exchange(peer.may_read, false), errno == EAGAIN;
  if (got == 0) return end_of_stream(peer);
  peer.space->end += static_cast<std::size_t>(got);
  // A short read has emptied the socket: what comes next makes a new edge.
  peer.may_read = static_cast<std::size_t>(got) == room.size() || peer.peer_ended;
  return true;
}

bool worker::receive_secure(connection& peer) {
  const auto got = ::recv(peer.fd, received_.data(), received_.size(), 0);
  if (got < 0) return std::exchange(peer.may_read, false), errno == EAGAIN;
  if (got == 0) return end_of_stream(peer);
  peer.may_read = static_cast<std::size_t>(got) == received_.size() || peer.peer_ended;
  peer.tls->receive({received_.data(), static_cast<std::size_t>(got)});
  for (;;) {
    const auto read = peer.tls->read(peer.space->room());
    if (read.what == secure_connection::status::done) {
      peer.space->end += read.bytes;
      continue;
    }
    if (read.what == secure_connection::status::need_input) return true;
    if (read.what == secure_connection::status::ended) return end_of_stream(peer);
    send_secure(peer);
    return false;
  }
}

bool worker::end_of_stream(connection& peer) {
  peer.http.end_of_stream();
  return !(peer.may_read = false);
}

worker::need worker::advance(connection& peer) {
  auto& s = *peer.space;
  for (;;) {
    if (!s.body.empty() || s.out.size() >= output_bytes_high) return need::output;
    const auto found = peer.http.next(s.unread(), s.head);
    s.consume(found.consumed);
    switch (found.kind) {
      case protocol::event_kind::head:
        s.begin_request();
        peer.http.write_continue(s.out);
        break;
      case protocol::event_kind::content:
        s.content.append(found.content);
        break;
      case protocol::event_kind::end:
        answer_request(peer);
        s.end_request();
        if (peer.http.must_close()) return need::close;
        break;
      case protocol::event_kind::refused:
        peer.http.write_refusal(date(), s.out);
        return need::close;
      case protocol::event_kind::need_more:
        return peer.http.must_close() ? need::close : need::input;
    }
  }
}

void worker::answer_request(connection& peer) {
  auto& s = *peer.space;
  auto made = answer(s.head, s.content);
  const bool copied = made.content().size() <= copied_body_bytes_max;
  const auto fault = copied ? peer.http.respond(s.head, made, date(), s.out)
                            : peer.http.respond_head(s.head, made, date(), s.out);
  if (fault) {
    peer.http.refuse(protocol::error::internal);
    peer.http.write_refusal(date(), s.out);
  } else if (!copied && protocol::content_follows(s.head.known_method(), made.status())) {
    s.body = made.take_content();
  }
}

// False: the socket does not take all of it, or the peer is gone and nothing is left to be sent.
bool worker::send(connection& peer) {
  if (peer.tls) return send_secure(peer);
  auto& s = *peer.space;
  while (s.sent < s.out.size() + s.body.size()) {
    const auto head = std::string_view(s.out).substr(std::min(s.sent, s.out.size()));
    const auto body = std::string_view(s.body).substr(s.sent - (s.out.size() - head.size()));
    iovec parts[]{{const_cast<char*>(head.data()), head.size()},
                  {const_cast<char*>(body.data()), body.size()}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const auto put = body.empty() ? ::send(peer.fd, head.data(), head.size(), MSG_NOSIGNAL)
                                  : ::sendmsg(peer.fd, &message, MSG_NOSIGNAL);
    if (put < 0) {
      if (errno != EAGAIN) s.out.clear();
      return false;
    }
    s.sent += static_cast<std::size_t>(put);
  }
  s.out.clear();
  s.body.clear();
  s.sent = 0;
  return true;
}

bool worker::send_secure(connection& peer) {
  auto& s = *peer.space;
  auto& tls = *peer.tls;
  if (!s.out.empty()) {
    // A small head shares a record, and so a write, with the beginning of its content.
    tls.write(s.body.empty() ? std::string_view(s.out) : std::string_view(s.out.append(s.body)));
    s.out.clear();
    s.body.clear();
  }
  auto& out = tls.out();
  while (tls.sent < out.size()) {
    const auto put = ::send(peer.fd, out.data() + tls.sent, out.size() - tls.sent, MSG_NOSIGNAL);
    if (put < 0) {
      if (errno != EAGAIN) out.clear();
      return false;
    }
    tls.sent += static_cast<std::size_t>(put);
  }
  out.clear();
  tls.sent = 0;
  return true;
}

// The last answer is sent. Closing while the peer still sends would lose it on the way (RFC 9112
// section 9.6): what comes is read, here without a deadline.
bool worker::finish(connection& peer) {
  if (peer.tls) {
    peer.tls->close();
    send_secure(peer);
  }
  ::shutdown(peer.fd, SHUT_WR);
  peer.lingers = true;
  return drop_input(peer);
}

bool worker::drop_input(connection& peer) {
  for (;;) {
    const auto got = ::recv(peer.fd, received_.data(), received_.size(), 0);
    if (got <= 0) return got < 0 && errno == EAGAIN;
  }
}

void worker::close(connection& peer) {
  if (peer.space && peer.space->is_empty() && spares_.size() < spares_max)
    spares_.push_back(std::move(peer.space));
  ::close(peer.fd);
  connections_[static_cast<std::size_t>(peer.fd)].reset();
}

}  // namespace bulkhead::worker
