#include "faults/peer.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace bulkhead::faults {
namespace {

// Enough for a first answer and for what may not come behind it.
constexpr std::size_t kept_bytes_max = 16 << 10;
constexpr std::size_t piece_bytes = 16 << 10;

actors::unique_fd begin_to_connect(const actors::peer_address& to) {
  actors::unique_fd fd(
      ::socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!fd) throw std::system_error(errno, std::generic_category(), "socket");
  const socklen_t bytes = to.any.sa_family == AF_INET ? sizeof to.v4 : sizeof to.v6;
  // Whatever goes wrong comes with the first event.
  static_cast<void>(::connect(fd.get(), &to.any, bytes));
  return fd;
}

}  // namespace

peer::peer(script what, const peer_place& place, time_point now)
    : script_(std::move(what)),
      place_(place),
      fd_(begin_to_connect(script_.tls ? place.secure : place.plain)),
      until_(now + script_.limit),
      due_(until_) {}

peer::end peer::run(time_point now, bool gone) {
  if (!is_connected_ && !is_connected()) {
    if (gone) end_ = end::refused;
    return end_;
  }
  is_connected_ = true;
  while (end_ == end::none && !gone && step_ < script_.steps.size()) {
    const auto& present = script_.steps[step_];
    if (!std::exchange(has_begun_, true)) {
      done_bytes_ = 0;
      step_due_ = now + present.pause;
    }
    const auto how = act_once(present, now);
    if (how == progress::wait) {
      due_ = std::min(until_, step_due_ > now ? step_due_ : until_);
      break;
    }
    if (how == progress::over) break;
    has_begun_ = false;
    ++step_;
  }
  if (end_ == end::none && gone) {
    // What the server said before it went; more than fits is none of our business.
    for (std::size_t i = 0; i < 64 && receive(piece_bytes); ++i) {
    }
    if (end_ == end::none) end_ = end::server_closed;
  }
  if (end_ == end::none && step_ >= script_.steps.size()) end_ = end::left;
  if (end_ == end::none && now >= until_) leave();
  return end_;
}

bool peer::is_connected() {
  int error = 0;
  socklen_t bytes = sizeof error;
  ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &bytes);
  sockaddr_storage other{};
  socklen_t other_bytes = sizeof other;
  if (error == 0 &&
      ::getpeername(fd_.get(), reinterpret_cast<sockaddr*>(&other), &other_bytes) == 0)
    return true;
  if (error != 0 || std::chrono::steady_clock::now() >= until_) end_ = end::refused;
  return false;
}

void peer::leave() {
  const linger at_once{1, 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  end_ = end::held;
}

peer::progress peer::act_once(const step& now_do, time_point now) {
  switch (now_do.what) {
    case act::send:
      return send(now_do.bytes);
    case act::drip:
      return drip(now_do, now);
    case act::pause:
      return pause(now_do, now);
    case act::handshake:
      return shake_hands();
    case act::send_cut: {
      std::string record;
      if (!engine_ || !engine_->write(now_do.bytes, record)) return progress::over;
      record.resize(record.size() / 2);
      out_ += record;
      return flush();
    }
    case act::read:
      return read(now_do, now);
    case act::read_slowly:
      return read_slowly(now_do, now);
    case act::half_close:
      ::shutdown(fd_.get(), SHUT_WR);
      return progress::next;
    case act::reset:
      leave();
      end_ = end::left;
      return progress::over;
  }
  return progress::over;
}

peer::progress peer::send(std::string_view bytes) {
  if (engine_) {
    if (done_bytes_ == 0 && !engine_->write(bytes, out_)) return progress::over;
    done_bytes_ = bytes.size();
    return flush();
  }
  while (done_bytes_ < bytes.size()) {
    const auto left = bytes.substr(done_bytes_);
    const auto n = ::send(fd_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) return progress::wait;
    // The server takes no more. What it has said is still to be read, by the event that follows.
    if (n < 0) return progress::next;
    done_bytes_ += static_cast<std::size_t>(n);
  }
  return progress::next;
}

peer::progress peer::flush() {
  while (!out_.empty()) {
    const auto n = ::send(fd_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) return progress::wait;
    if (n < 0) return progress::next;
    out_.erase(0, static_cast<std::size_t>(n));
  }
  return progress::next;
}

peer::progress peer::drip(const step& now_do, time_point now) {
  while (done_bytes_ < now_do.bytes.size()) {
    if (now < step_due_) return progress::wait;
    const auto next = std::string_view(now_do.bytes).substr(done_bytes_, now_do.count);
    const auto n = ::send(fd_.get(), next.data(), next.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN) return progress::next;
    if (n > 0) done_bytes_ += static_cast<std::size_t>(n);
    step_due_ = now + now_do.pause;
  }
  return progress::next;
}

peer::progress peer::pause(const step&, time_point now) {
  return now < step_due_ ? progress::wait : progress::next;
}

peer::progress peer::shake_hands() {
  if (!engine_) {
    engine_.emplace(*place_.tls, place_.host);
    static_cast<void>(engine_->handshake({}, out_));
  }
  while (!engine_->is_open()) {
    static_cast<void>(flush());
    if (!receive(piece_bytes)) return end_ == end::none ? progress::wait : progress::over;
  }
  return flush();
}

peer::progress peer::read(const step& now_do, time_point now) {
  for (;;) {
    if (now_do.count > 0 && received_bytes_ >= now_do.count) return progress::next;
    const auto most = now_do.count > 0 ? now_do.count - received_bytes_ : piece_bytes;
    if (receive(std::min(most, piece_bytes))) continue;
    if (end_ != end::none) return progress::over;
    return now < step_due_ ? progress::wait : progress::next;
  }
}

peer::progress peer::read_slowly(const step& now_do, time_point now) {
  if (now >= step_due_) {
    receive(now_do.count);
    step_due_ = now + now_do.pause;
  }
  return end_ == end::none ? progress::wait : progress::over;
}

bool peer::receive(std::size_t most) {
  std::array<char, piece_bytes> room;
  const auto n = ::recv(fd_.get(), room.data(), std::min(most, room.size()), 0);
  if (n < 0 && errno == EAGAIN) return false;
  if (n <= 0) {
    end_by(n < 0);
    return false;
  }
  take({room.data(), static_cast<std::size_t>(n)});
  return end_ == end::none;
}

void peer::take(std::string_view bytes) {
  const auto keep = [this](std::string_view plain) {
    received_bytes_ += plain.size();
    received_ += plain.substr(0, kept_bytes_max - std::min(received_.size(), kept_bytes_max));
  };
  if (!engine_) return keep(bytes);
  if (!engine_->is_open()) {
    const auto shaken = engine_->handshake(bytes, out_);
    if (shaken.what == tls::client_engine::status::failed) return end_by(false);
    bytes.remove_prefix(shaken.consumed);
    if (!engine_->is_open()) return;
  }
  std::string plain;
  const auto how = engine_->read(bytes, plain, out_).what;
  keep(plain);
  if (how == tls::client_engine::status::closed || how == tls::client_engine::status::failed)
    end_by(false);
}

void peer::end_by(bool reset) {
  end_ = reset ? end::server_reset : end::server_closed;
}

int peer::status() const {
  constexpr std::string_view version = "HTTP/1.1 ";
  if (!received_.starts_with(version) || received_.size() < version.size() + 3) return 0;
  int number = 0;
  for (const char digit : received_.substr(version.size(), 3)) number = number * 10 + (digit - '0');
  return number;
}

bool peer::is_as_expected() const {
  const auto first = status();
  if (!script_.expect.empty() && std::ranges::find(script_.expect, first) == script_.expect.end())
    return false;
  return !script_.refusal_is_last || first < 400 ||
         received_.find("HTTP/1.1 2", 1) == std::string::npos;
}

bool peer::must_be_answered() const {
  return !script_.expect.empty() && std::ranges::find(script_.expect, 0) == script_.expect.end();
}

}  // namespace bulkhead::faults
