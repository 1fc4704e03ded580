#include "actors/runtime/scheduler.hpp"

#include <pthread.h>

#include <system_error>

#include "actors/signals_blocked.hpp"
#include "sandbox/alternate_stack.hpp"

namespace bulkhead::actors {

scheduler::scheduler(caf::actor_system& system, scheduler_options options)
    : abstract_coordinator(system), options_(options), last_look_(options.reactors) {
  for (unsigned i = 0; i < options.reactors; ++i)
    reactors_.push_back(std::make_unique<reactor>(system, i, clock_));
}

void scheduler::enqueue(caf::resumable* job) {
  const auto next = next_reactor_.fetch_add(1, std::memory_order_relaxed) % reactors_.size();
  reactors_[next]->exec_later(job);
}

void scheduler::start() {
  const signals_blocked blocked;
  const std::lock_guard guard(threads_mutex_);
  for (auto& r : reactors_) start_thread(*r);
  monitor_ = std::thread([this] { monitor(); });
}

void scheduler::stop() {
  // The monitor first: a thread that it starts later would not be joined.
  stopping_.store(true);
  clock_.interrupt();
  if (monitor_.joinable()) monitor_.join();
  for (auto& r : reactors_) r->request_stop();
  {
    const std::lock_guard guard(threads_mutex_);
    for (auto* waiting : spares_) waiting->ready.notify_one();
  }
  for (auto& thread : threads_) thread.join();
  for (auto& r : reactors_) r->clean_up();
}

void scheduler::start_thread(reactor& first) {
  threads_.emplace_back([this, &first] { work(&first); });
}

void scheduler::work(reactor* held) {
  ::pthread_setname_np(::pthread_self(), "reactor");
  const sandbox::alternate_stack for_signals;
  system().thread_started();
  while (held) {
    reactor::hold_here();
    held = held->run_loop() ? nullptr : wait_for_reactor();
  }
  system().thread_terminates();
}

reactor* scheduler::wait_for_reactor() {
  spare self;
  std::unique_lock guard(threads_mutex_);
  spares_.push_back(&self);
  self.ready.wait(guard, [&] { return self.assigned || stopping_.load(); });
  if (!self.assigned) std::erase(spares_, &self);
  return self.assigned;
}

void scheduler::monitor() {
  ::pthread_setname_np(::pthread_self(), "monitor");
  unsigned quiet = 0;
  while (!stopping_.load()) {
    bool busy = false;
    for (std::size_t i = 0; i < reactors_.size(); ++i) busy = inspect(i) || busy;
    quiet = busy ? 0 : quiet + 1;
    // A reactor rouses us; should we miss that, we are late once, by no more than a doze.
    const bool doze = quiet >= quiet_looks_before_doze;
    clock_.deliver_and_wait(
        std::chrono::steady_clock::now() + (doze ? doze_interval : monitor_interval), doze);
  }
}

bool scheduler::inspect(std::size_t index) {
  auto& r = *reactors_[index];
  const auto seen = r.look();
  const bool unchanged = seen == last_look_[index];
  const bool stuck = seen.running != 0 && unchanged;
  last_look_[index] = seen;
  if (stuck && has_spare_thread() && r.retake(seen)) hand_over(r);
  return !unchanged || seen.running != 0;
}

bool scheduler::has_spare_thread() {
  const std::lock_guard guard(threads_mutex_);
  return !spares_.empty() || threads_.size() < reactors_.size() + options_.spare_threads_max;
}

void scheduler::hand_over(reactor& stuck) {
  handovers_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard guard(threads_mutex_);
  if (spares_.empty()) return start_thread(stuck);
  auto* waiting = spares_.back();
  spares_.pop_back();
  waiting->assigned = &stuck;
  waiting->ready.notify_one();
}

}  // namespace bulkhead::actors
