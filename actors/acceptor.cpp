#include "actors/acceptor.hpp"

#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "actors/runtime/system.hpp"

namespace bulkhead::actors {

namespace {

constexpr std::string_view unavailable =
    "HTTP/1.1 503 Service Unavailable\r\n"
    "Retry-After: 1\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 21\r\n"
    "Connection: close\r\n"
    "\r\n"
    "too many connections\n";

// What the system, and not this connection, is short of.
bool is_shortage(int reason) {
  return reason == EMFILE || reason == ENFILE || reason == ENOBUFS || reason == ENOMEM;
}

}  // namespace

acceptor::acceptor(caf::actor_config& cfg, reactor& where, shard& local, unique_fd listener)
    : polled_actor(cfg, where), shard_(local), listener_(std::move(listener)), timer_(*this) {
  set_down_handler([this](caf::down_msg&) { on_session_down(); });
}

void acceptor::on_exit() {
  home().timers().cancel(timer_);
  listener_.reset();
}

void acceptor::on_work(work::bits bits) {
  if (bits & work::stop) return begin_to_stop();
  if (stopping_) return;
  if (!is_watched() && !watch(listener_.get()))
    throw std::system_error(errno, std::generic_category(), "cannot watch a listener");
  accept_some();
}

void acceptor::accept_some() {
  for (unsigned i = 0; i < accepts_per_turn; ++i) {
    peer_address peer{};
    socklen_t size = sizeof peer;
    unique_fd socket(::accept4(listener_.get(), &peer.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      admit(std::move(socket), peer);
    } else if (errno == EAGAIN) {
      return;
    } else if (is_shortage(errno)) {
      return pause_accepting(errno);
    }
    // Anything else was that connection's own end, such as ECONNABORTED.
  }
  post(work::readable);
}

void acceptor::admit(unique_fd socket, const peer_address& peer) {
  shard_.counters().accepted.add();
  session_slot slot(shard_.shared());
  if (!slot) return turn_away(std::move(socket));
  const auto child =
      spawn_polled<session>(home(), shard_, std::move(slot), std::move(socket), peer);
  child->insert_behind(sessions_);
  ++alive_;
  monitor(child.get(), caf::message_priority::normal);
  // Not run from here: its handler may lose us the reactor in the middle.
  child->post(work::readable);
}

void acceptor::turn_away(unique_fd socket) {
  shard_.counters().sessions_refused.add();
  ::send(socket.get(), unavailable.data(), unavailable.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket.get(), SHUT_WR);
  // Closing with unread bytes would reset the connection and lose the answer.
  std::array<char, 4096> unread;
  while (::recv(socket.get(), unread.data(), unread.size(), MSG_DONTWAIT) > 0) {
  }
}

void acceptor::pause_accepting(int reason) {
  spdlog::warn("cannot accept: {}; pausing for {} ms", std::strerror(reason), pause.count());
  home().timers().arm(timer_, home().now() + pause);
}

void acceptor::begin_to_stop() {
  stopping_ = true;
  home().timers().cancel(timer_);
  listener_.reset();
  for (auto* link = sessions_.after; link != &sessions_; link = link->after)
    static_cast<session*>(link)->post(work::stop);
  if (alive_ == 0) end();
}

void acceptor::on_session_down() {
  shard_.counters().sessions_ended.add();
  --alive_;
  if (stopping_ && alive_ == 0) end();
}

}  // namespace bulkhead::actors
