#pragma once

#include <caf/detail/simple_actor_clock.hpp>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "actors/runtime/caf.hpp"

namespace bulkhead::actors {

// CAF's clock, for actors that use CAF's own timeouts and delayed messages;
// sessions use their reactor's timer heap. CAF asks it to cancel an actor's
// timeouts at every death: here that costs one load while none is scheduled.
class clock final : public caf::detail::simple_actor_clock {
 public:
  void set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                            uint64_t id) override;
  void set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type,
                         uint64_t id) override;
  void set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) override;
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override;
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override;
  void cancel_timeouts(caf::abstract_actor* self) override;
  void schedule_message(time_point t, caf::strong_actor_ptr receiver,
                        caf::mailbox_element_ptr content) override;
  void schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender,
                        caf::message content) override;
  void cancel_all() override;

  // Delivers what is due and sleeps until `until`, the next due time, or
  // interrupt(), whichever is first; when it may be roused, also until rouse(). For
  // the monitor's thread alone.
  void deliver_and_wait(time_point until, bool may_be_roused);
  void interrupt();
  // A load while nobody waits to be roused. One that just begins to may be missed.
  void rouse() {
    if (rousable_.load(std::memory_order_relaxed)) wake_roused();
  }

 private:
  template <class F>
  void locked(F&& f) {
    const std::lock_guard guard(mutex_);
    f();
    scheduled_.store(schedule_.size(), std::memory_order_relaxed);
    changed_.notify_one();
  }

  void wake_roused();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> rousable_{false};
  std::atomic<std::size_t> scheduled_{0};
  bool interrupted_ = false;
};

}  // namespace bulkhead::actors
