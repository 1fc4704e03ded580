// What a session waits for no longer than it may.
#include <algorithm>

#include "actors/guest_call.hpp"
#include "actors/session.hpp"

namespace bulkhead::actors {

void session::set_deadline() {
  if (handshaking_ || blocked_ || lingering_) return;
  if (exchange_.generation() == seen_generation_) return;
  seen_generation_ = exchange_.generation();
  phase_began_ = home().now();
  deadline_ = phase_began_ + deadline_of(exchange_.now());
}

std::chrono::milliseconds session::deadline_of(exchange::phase what) const {
  const auto& limits = shard_.settings().deadlines;
  switch (what) {
    case exchange::phase::first_byte:
      return limits.first_byte;
    case exchange::phase::head:
      return limits.head;
    case exchange::phase::handler:
      return exchange_.handler_time(limits.handler);
    case exchange::phase::stream:
      return limits.handler;
    case exchange::phase::idle:
      return exchange_.draining() ? limits.drain_grace : limits.idle;
    case exchange::phase::content:
      break;
  }
  return shard_.settings().content_rate_min > 0 ? std::min(rate_interval, limits.content)
                                                : limits.content;
}

// The timer is not moved when the deadline becomes later, which happens with
// every request: it fires, finds that nothing is due, and is armed again.
void session::arm_timer() {
  auto due = deadline_;
  if (space_ && exchange_.wants_place(*space_))
    due = std::min(due, home().now() + guest_call::retry);
  if (exchange_.source_pauses()) due = std::min(due, home().now() + source_pause);
  if (!timer_.armed() || timer_.due() > due) home().timers().arm(timer_, due);
}

void session::on_deadline() {
  if (handshaking_) return close(reason::handshake_timeout);
  if (blocked_) {
    transport_.abort();
    return close(reason::write_stall);
  }
  if (lingering_) return close(exchange_.outcome());
  switch (exchange_.now()) {
    case exchange::phase::first_byte:
      return close(reason::first_byte_timeout);
    case exchange::phase::idle:
      return close(exchange_.draining() ? reason::drain : reason::idle_timeout);
    case exchange::phase::head:
      return exchange_.refuse(protocol::error::head_timeout, reason::head_timeout, space());
    case exchange::phase::content:
      return judge_content();
    case exchange::phase::handler:
      return exchange_.cut_guest(space());
    case exchange::phase::stream:
      break;  // on_busy() has seen to it
  }
}

void session::judge_content() {
  const auto& settings = shard_.settings();
  const auto taken = home().now() - phase_began_;
  const auto seconds = std::chrono::duration<double>(taken).count();
  const bool in_time = taken < settings.deadlines.content;
  const bool fast = static_cast<double>(exchange_.content_bytes()) >=
                    seconds * static_cast<double>(settings.content_rate_min);
  if (!in_time || !fast)
    return exchange_.refuse(protocol::error::content_timeout,
                            in_time ? reason::content_too_slow : reason::content_timeout, space());
  deadline_ = std::min(deadline_ + rate_interval, phase_began_ + settings.deadlines.content);
}

void session::begin_to_drain() {
  exchange_.drain();
  if (handshaking_) return;
  if (exchange_.now() != exchange::phase::idle && exchange_.now() != exchange::phase::first_byte)
    return;
  deadline_ = std::min(deadline_, home().now() + shard_.settings().deadlines.drain_grace);
}

}  // namespace bulkhead::actors
