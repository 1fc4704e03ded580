#include "actors/acceptor.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "actors/runtime/system.hpp"

namespace bulkhead::actors {

namespace {

using namespace std::chrono_literals;

constexpr auto pause_min = 10ms;
constexpr auto pause_max = 100ms;
constexpr auto warning_interval = 10s;

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

unique_fd open_reserve() {
  return unique_fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

}  // namespace

acceptor::acceptor(caf::actor_config& cfg, reactor& where, shard& local, unique_fd listener,
                   bool secure)
    : polled_actor(cfg, where),
      shard_(local),
      listener_(std::move(listener)),
      secure_(secure),
      reserve_(open_reserve()),
      timer_(*this),
      pause_(pause_min) {
  set_down_handler([this](caf::down_msg&) { on_session_down(); });
}

void acceptor::on_exit() {
  close_listener();
}

void acceptor::on_work(work::bits bits) {
  if (bits & work::completion) handle_completions();
  if (bits & work::shed) shard_.shed_largest();
  if (bits & work::drain) begin_to_drain();
  if (bits & work::stop) stop_sessions();
  if (ending_) {
    if (alive_ == 0) end();
    return;
  }
  if (!is_watched() && !watch(listener_.get()))
    throw std::system_error(errno, std::generic_category(), "cannot watch a listener");
  if (bits & (work::readable | work::timeout | work::hangup)) accept_some();
}

// ------------------------------------------------------------------ accepting

void acceptor::accept_some() {
  // While it pauses for want of descriptors, only the timer goes on.
  if (timer_.armed()) return;
  for (unsigned i = 0; i < accepts_per_turn; ++i)
    if (!accept_one()) return;
  post(work::readable);
}

// False: nothing more to accept, now or for a while.
bool acceptor::accept_one() {
  peer_address peer{};
  socklen_t size = sizeof peer;
  unique_fd socket(::accept4(listener_.get(), &peer.any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket) {
    pause_ = pause_min;
    admit(std::move(socket), peer);
    return true;
  }
  if (errno == EAGAIN) return false;
  // Anything but a shortage was that connection's own end, such as ECONNABORTED.
  if (!is_shortage(errno)) return true;
  on_shortage(errno);
  return false;
}

void acceptor::admit(unique_fd socket, const peer_address& peer) {
  shard_.counters().accepted.add();
  session_slot slot(shard_.shared());
  if (!slot) return turn_away(std::move(socket));
  const auto child =
      spawn_polled<session>(home(), shard_, std::ref(*this), std::move(slot), std::move(socket),
                            peer, secure_ ? shard_.shared().tls->current() : nullptr);
  ++alive_;
  monitor(child.get(), caf::message_priority::normal);
  // Not run from here: its handler may lose us the reactor in the middle.
  child->post(work::readable);
}

void acceptor::turn_away(unique_fd socket) {
  shard_.counters().sessions_refused.add();
  shard_.count(reason::overloaded);
  if (secure_) return;  // a text would be no answer, and a handshake costs too much
  ::send(socket.get(), unavailable.data(), unavailable.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(socket.get(), SHUT_WR);
  // Closing with unread bytes would reset the connection and lose the answer.
  std::array<char, 4096> unread;
  for (int i = 0; i < 16 && ::recv(socket.get(), unread.data(), unread.size(), MSG_DONTWAIT) > 0;)
    ++i;
}

// The connection that waits is accepted with the reserve and closed, so that its
// peer learns it; then accepting pauses, longer each time, and says so rarely.
void acceptor::on_shortage(int why) {
  reserve_.reset();
  unique_fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)).reset();
  reserve_ = open_reserve();
  shard_.count(reason::out_of_descriptors);
  if (home().now() - last_warning_ >= warning_interval) {
    last_warning_ = home().now();
    spdlog::warn("cannot accept: {}; closing what comes, with pauses of up to {} ms",
                 std::strerror(why), pause_max.count());
  }
  home().timers().arm(timer_, home().now() + pause_);
  pause_ = std::min<std::chrono::milliseconds>(2 * pause_, pause_max);
}

// --------------------------------------------------------------------- children

void acceptor::take_completion(session& from) {
  completions_.emplace_back(from.ctrl());
  post(work::completion);
}

void acceptor::handle_completions() {
  for (auto& child : std::exchange(completions_, {})) {
    shard_.completions().leave();
    static_cast<session*>(child->get())->post(work::acknowledged);
  }
}

void acceptor::on_session_down() {
  shard_.counters().sessions_ended.add();
  --alive_;
  if (ending_ && alive_ == 0) end();
}

// ----------------------------------------------------------------------- ending

// Connections that the system has accepted for us are served, not reset.
void acceptor::begin_to_drain() {
  if (ending_) return;
  shard_.set_draining();
  while (accept_one()) {
  }
  close_listener();
  for (auto* link = shard_.sessions().next; link != &shard_.sessions(); link = link->next)
    static_cast<session*>(link)->post(work::drain);
}

void acceptor::stop_sessions() {
  close_listener();
  for (auto* link = shard_.sessions().next; link != &shard_.sessions(); link = link->next)
    static_cast<session*>(link)->post(work::stop);
}

void acceptor::close_listener() {
  ending_ = true;
  home().timers().cancel(timer_);
  listener_.reset();
}

}  // namespace bulkhead::actors
