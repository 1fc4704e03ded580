#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "actors/runtime/caf.hpp"
#include "actors/runtime/clock.hpp"
#include "actors/runtime/pollable.hpp"
#include "actors/runtime/polled_actor.hpp"
#include "actors/runtime/timer_heap.hpp"

namespace bulkhead::actors {

// An epoll set, a run queue and a timer heap, run by whichever thread holds it
// (like Go's P, which a system call can lose to another M). The thread that
// holds it loses it only inside run_user_code, so everything but user code may
// use the reactor without a lock.
class reactor final : public caf::execution_unit, private pollable {
 public:
  // Throws std::system_error when the system has no epoll or eventfd left.
  reactor(caf::actor_system& system, std::uint32_t index, clock& monitors);
  ~reactor() override;
  reactor(const reactor&) = delete;
  reactor& operator=(const reactor&) = delete;

  std::uint32_t index() const { return index_; }

  // --- any thread ---

  // Queues a job and adopts its reference; wakes the reactor when it sleeps.
  void push(caf::resumable* job);
  // CAF's entry: polled actors go home, everything else is queued here.
  void exec_later(caf::resumable* job) override;
  // The loop ends soon; what is queued then stays queued.
  void request_stop();

  // --- the thread that holds it ---

  // Runs until stopped (true) or lost (false).
  bool run_loop();
  // The time when the current batch of events began; one clock call a batch.
  time_point now() const { return now_; }
  timer_heap& timers() { return timers_; }
  bool watch(int fd, pollable& target, std::uint32_t events);
  // Drops the reference when no event of the current batch can name its actor.
  void bury(caf::strong_actor_ptr dead);
  // Resumes an actor whose `scheduled` bit the caller has set. False: lost inside.
  bool execute(polled_actor& actor);

  // Runs `f`, a call of user code of `caller`'s, which must not throw and may take
  // as long as it likes: meanwhile the monitor may give the reactor to another
  // thread, which then calls caller.on_handover(). False: it has, and the caller
  // must return without touching the reactor or what belongs to it.
  template <class F>
  [[nodiscard]] bool run_user_code(polled_actor* caller, F&& f) {
    user_code_caller_ = caller;
    const auto me = publish();
    f();
    return take_back(me);
  }

  // Whether this thread has lost the reactor that it was running.
  static bool lost_here();
  // Before a thread starts to run a reactor.
  static void hold_here();
  // Whether this thread runs reactors, or is in user code that one of them called.
  static bool on_reactor_thread();

  // --- the monitor ---

  // What to compare: unchanged and `running` at two looks means stuck.
  struct snapshot {
    std::uint32_t running = 0;  // id of the thread in user code, 0: none
    std::uint64_t tick = 0;     // calls of user code so far
    bool operator==(const snapshot&) const = default;
  };
  snapshot look() const;
  // Takes the reactor from the thread that `seen` names; false: it came back.
  bool retake(const snapshot& seen);

  // --- after the last thread has left ---

  // Ends what is still queued or buried. The actor system must still exist.
  void clean_up();

 private:
  static constexpr std::size_t batch_max = 256;
  // A poll at least every so many jobs, so that messages can't starve sockets.
  static constexpr unsigned jobs_between_polls = 64;

  bool on_events(std::uint32_t events) override;  // the wake-up eventfd
  void take_over();
  bool deliver_events();
  bool run_jobs();
  bool fire_timers();
  bool run_job(caf::resumable* job);
  caf::resumable* pop();
  void drop_graveyard();
  void poll();
  int poll_timeout_ms() const;
  void wake();
  std::uint32_t publish();
  bool take_back(std::uint32_t me);

  const std::uint32_t index_;
  clock& monitors_clock_;  // on which the monitor dozes while no user code runs
  int epoll_fd_ = -1;
  int wake_fd_ = -1;

  // Kept here and not on a thread's stack, so that a hand-over loses no event.
  std::array<epoll_event, batch_max> batch_;
  std::size_t batch_size_ = 0;
  std::size_t batch_next_ = 0;
  time_point now_;
  timer_heap timers_;
  std::vector<caf::strong_actor_ptr> graveyard_;
  polled_actor* user_code_caller_ = nullptr;  // of the last call of user code

  std::mutex queue_mutex_;
  std::deque<caf::resumable*> queue_;
  std::atomic<std::size_t> queue_size_{0};
  std::atomic<bool> sleeping_{false};
  std::atomic<bool> stopping_{false};

  std::atomic<std::uint32_t> running_{0};
  std::atomic<std::uint64_t> tick_{0};
};

}  // namespace bulkhead::actors
