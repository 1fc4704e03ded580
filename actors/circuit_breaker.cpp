#include "actors/circuit_breaker.hpp"

#include <algorithm>

namespace bulkhead::actors {

circuit_breaker::pass circuit_breaker::admit(time_point now) {
  const std::lock_guard guard(mutex_);
  if (!is_open_) return pass::ordinary;
  if (now < open_until_ || probe_is_out_) return pass::refused;
  probe_is_out_ = true;
  return pass::probe;
}

void circuit_breaker::settle(pass one, ending how, time_point now) {
  const std::lock_guard guard(mutex_);
  if (one == pass::probe) {
    probe_is_out_ = false;
    if (how == ending::fault) open(now);
    if (how == ending::answer) is_open_ = false;
    return;
  }
  // Requests that began before it opened tell nothing new when they end.
  if (!is_open_ && how != ending::nothing && rule_.faults != 0) add(how == ending::fault, now);
}

void circuit_breaker::add(bool was_fault, time_point now) {
  using std::chrono::nanoseconds;
  const auto tenth =
      std::max(nanoseconds(1), nanoseconds(rule_.window) / static_cast<int>(slot_count));
  const std::int64_t number = now.time_since_epoch() / tenth;
  auto& current = slots_[static_cast<std::size_t>(number) % slot_count];
  if (current.number != number) current = {number, 0, 0};
  ++current.ended;
  if (!was_fault) return;
  ++current.faults;
  slot sum;
  for (const auto& each : slots_) {
    if (number - each.number >= static_cast<std::int64_t>(slot_count)) continue;
    sum.ended += each.ended;
    sum.faults += each.faults;
  }
  if (sum.faults >= rule_.faults && sum.faults * 2 >= sum.ended) open(now);
}

void circuit_breaker::open(time_point now) {
  is_open_ = true;
  open_until_ = now + rule_.open;
  ++times_opened_;
  slots_ = {};
}

circuit_breaker::state circuit_breaker::now(time_point now) const {
  const std::lock_guard guard(mutex_);
  if (!is_open_) return state::closed;
  return now < open_until_ ? state::open : state::probing;
}

std::chrono::milliseconds circuit_breaker::open_for(time_point now) const {
  const std::lock_guard guard(mutex_);
  using std::chrono::milliseconds;
  if (!is_open_) return milliseconds(0);
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(open_until_ - now));
}

std::uint64_t circuit_breaker::times_opened() const {
  const std::lock_guard guard(mutex_);
  return times_opened_;
}

}  // namespace bulkhead::actors
