#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "actors/runtime/caf.hpp"
#include "actors/runtime/clock.hpp"
#include "actors/runtime/reactor.hpp"

namespace bulkhead::actors {

struct scheduler_options {
  unsigned reactors = 1;
  // Threads beyond one a reactor: how many may be stuck in user code at once.
  unsigned spare_threads_max = 64;
};

// CAF's scheduler module. It owns the reactors, the threads that run them and
// the monitor, which takes a reactor from a thread that has been in one call of
// user code for two looks (5 to 10 ms) and gives it to a spare thread.
class scheduler final : public caf::scheduler::abstract_coordinator {
 public:
  scheduler(caf::actor_system& system, scheduler_options options);

  reactor& at(std::size_t index) { return *reactors_[index]; }
  std::size_t size() const { return reactors_.size(); }
  std::uint64_t handovers() const { return handovers_.load(std::memory_order_relaxed); }

  void enqueue(caf::resumable* job) override;
  caf::actor_clock& clock() noexcept override { return clock_; }
  bool detaches_utility_actors() const override { return false; }
  // CAF's printer actor is not started: nothing here prints through CAF.
  void start() override;
  // Waits for every thread, also for those in user code.
  void stop() override;

 private:
  static constexpr std::chrono::milliseconds monitor_interval{5};
  // While no user code runs anywhere, it looks ten times a second.
  static constexpr std::chrono::milliseconds doze_interval{100};
  static constexpr unsigned quiet_looks_before_doze = 20;

  // A thread without a reactor, waiting for one.
  struct spare {
    reactor* assigned = nullptr;
    std::condition_variable ready;
  };

  void work(reactor* first);
  reactor* wait_for_reactor();
  void monitor();
  // False: no user code has run there since the last look.
  bool inspect(std::size_t index);
  bool has_spare_thread();
  void hand_over(reactor& stuck);
  void start_thread(reactor& first);

  const scheduler_options options_;
  std::vector<std::unique_ptr<reactor>> reactors_;
  actors::clock clock_;
  std::thread monitor_;
  std::vector<reactor::snapshot> last_look_;
  std::atomic<std::uint64_t> handovers_{0};
  std::atomic<std::size_t> next_reactor_{0};

  std::mutex threads_mutex_;
  std::vector<std::thread> threads_;
  std::vector<spare*> spares_;
  std::atomic<bool> stopping_{false};
};

}  // namespace bulkhead::actors
