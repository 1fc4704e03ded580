#include "actors/runtime/clock.hpp"

#include <algorithm>
#include <utility>

namespace bulkhead::actors {

using base = caf::detail::simple_actor_clock;

void clock::set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                                 uint64_t id) {
  locked([&] { base::set_ordinary_timeout(t, self, type, id); });
}

void clock::set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                              uint64_t id) {
  locked([&] { base::set_multi_timeout(t, self, type, id); });
}

void clock::set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) {
  locked([&] { base::set_request_timeout(t, self, id); });
}

void clock::cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) {
  if (scheduled_.load(std::memory_order_relaxed) > 0)
    locked([&] { base::cancel_ordinary_timeout(self, type); });
}

void clock::cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) {
  if (scheduled_.load(std::memory_order_relaxed) > 0)
    locked([&] { base::cancel_request_timeout(self, id); });
}

// The count may be stale for other actors' timeouts, never for `self`'s: those
// were set by this thread or before the message that brought it here.
void clock::cancel_timeouts(caf::abstract_actor* self) {
  if (scheduled_.load(std::memory_order_relaxed) > 0) locked([&] { base::cancel_timeouts(self); });
}

void clock::schedule_message(time_point t, caf::strong_actor_ptr receiver,
                             caf::mailbox_element_ptr content) {
  locked([&] { base::schedule_message(t, std::move(receiver), std::move(content)); });
}

void clock::schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                             caf::message content) {
  locked(
      [&] { base::schedule_message(t, std::move(target), std::move(sender), std::move(content)); });
}

void clock::cancel_all() {
  locked([&] { base::cancel_all(); });
}

void clock::deliver_and_wait(time_point until, bool may_be_roused) {
  std::unique_lock guard(mutex_);
  trigger_expired_timeouts();
  scheduled_.store(schedule_.size(), std::memory_order_relaxed);
  if (!schedule_.empty()) until = std::min(until, schedule_.begin()->first);
  if (interrupted_) return;
  rousable_.store(may_be_roused, std::memory_order_relaxed);
  changed_.wait_until(guard, until);
  rousable_.store(false, std::memory_order_relaxed);
}

void clock::wake_roused() {
  const std::lock_guard guard(mutex_);
  rousable_.store(false, std::memory_order_relaxed);
  changed_.notify_one();
}

void clock::interrupt() {
  const std::lock_guard guard(mutex_);
  interrupted_ = true;
  changed_.notify_one();
}

}  // namespace bulkhead::actors
