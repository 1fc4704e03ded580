#include "actors/gate.hpp"

#include <algorithm>

namespace bulkhead::actors {

bool gate::try_enter(const completion_credit& one, bool is_retry) {
  counters_.attempts.add();
  if (is_retry) counters_.retries.add();
  // As many of those who wait may enter as there are places.
  const auto places = static_cast<std::ptrdiff_t>(std::min(bound_ - queued_, waiting_.size()));
  const auto last = waiting_.begin() + places;
  const auto found = is_retry ? std::find(waiting_.begin(), last, &one) : last;
  if (found != last) {
    waiting_.erase(found);
  } else if (is_retry || bound_ - queued_ <= waiting_.size()) {
    counters_.full.add();
    if (!is_retry) waiting_.push_back(&one);
    return false;
  }
  ++queued_;
  return true;
}

void gate::leave() {
  --queued_;
  counters_.deliveries.add();
}

void gate::forget(const completion_credit& one) {
  std::erase(waiting_, &one);
}

completion_credit::~completion_credit() {
  if (waits_for_) waits_for_->forget(*this);
}

bool completion_credit::attempt(gate& to) {
  if (state_ != state::unused && state_ != state::waiting) return false;
  const bool entered = to.try_enter(*this, state_ == state::waiting);
  state_ = entered ? state::sent : state::waiting;
  waits_for_ = entered ? nullptr : &to;
  return entered;
}

bool completion_credit::acknowledge() {
  if (state_ != state::sent) return false;
  state_ = state::acknowledged;
  return true;
}

}  // namespace bulkhead::actors
