#include "actors/gate.hpp"

namespace bulkhead::actors {

bool gate::try_enter(bool is_retry) {
  counters_.attempts.add();
  if (is_retry) counters_.retries.add();
  if (queued_ == bound_) {
    counters_.full.add();
    return false;
  }
  ++queued_;
  return true;
}

void gate::leave() {
  --queued_;
  counters_.deliveries.add();
}

bool completion_credit::attempt(gate& to) {
  if (state_ != state::unused && state_ != state::waiting) return false;
  const bool entered = to.try_enter(state_ == state::waiting);
  state_ = entered ? state::sent : state::waiting;
  return entered;
}

bool completion_credit::acknowledge() {
  if (state_ != state::sent) return false;
  state_ = state::acknowledged;
  return true;
}

}  // namespace bulkhead::actors
