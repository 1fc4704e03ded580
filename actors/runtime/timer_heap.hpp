#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

namespace bulkhead::actors {

class polled_actor;

using time_point = std::chrono::steady_clock::time_point;

// One actor's place in its reactor's timer heap. The actor owns it and must
// cancel it before it goes away.
class timer {
 public:
  explicit timer(polled_actor& owner) : owner_(&owner) {}
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;

  bool armed() const { return slot_ != unarmed; }
  // Meaningful only while armed.
  time_point due() const { return due_; }
  polled_actor& owner() const { return *owner_; }

 private:
  friend class timer_heap;
  static constexpr std::size_t unarmed = std::numeric_limits<std::size_t>::max();

  polled_actor* owner_;
  time_point due_{};
  std::size_t slot_ = unarmed;
};

// Binary heap of timers, the earliest first; every operation is O(log n) and
// only growth allocates. Not thread-safe: only the thread that holds the
// reactor calls it.
class timer_heap {
 public:
  // Arms `t`, or moves it when it is armed.
  void arm(timer& t, time_point due);
  void cancel(timer& t);
  // The earliest timer that is due at `now`, disarmed; nullptr when there is none.
  timer* pop_due(time_point now);
  // time_point::max() when nothing is armed.
  time_point next_due() const;
  std::size_t size() const { return heap_.size(); }

 private:
  void place(std::size_t slot, timer* t);
  void sift_up(std::size_t slot);
  void sift_down(std::size_t slot);

  std::vector<timer*> heap_;
};

}  // namespace bulkhead::actors
