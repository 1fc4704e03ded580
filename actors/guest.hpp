// One guest handler as all reactors share it: its settings, and what is known of its faults.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "actors/circuit_breaker.hpp"
#include "actors/fault_log.hpp"
#include "actors/guest_handler.hpp"
#include "sandbox/outcome.hpp"
#include "sandbox/thread_executor.hpp"

namespace bulkhead::actors {

// Which file a name led to when it was looked at: a file that was replaced is another one.
struct file_identity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_ns = 0;
  std::uint64_t bytes = 0;

  bool operator==(const file_identity&) const = default;
};
// All zeros when there is none.
file_identity identity_of(const std::string& file);

class guest {
 public:
  static constexpr std::size_t outcome_count =
      static_cast<std::size_t>(sandbox::outcome_kind::gone) + 1;

  explicit guest(const guest_handler& how);

  const guest_handler& settings() const { return settings_; }
  const file_identity& identity() const { return identity_; }
  circuit_breaker& breaker() { return breaker_; }
  const circuit_breaker& breaker() const { return breaker_; }
  const fault_log& faults() const { return faults_; }
  std::uint64_t ended(sandbox::outcome_kind how) const {
    return ended_[static_cast<std::size_t>(how)].load(std::memory_order_relaxed);
  }

  // Of a handler that runs on its caller's thread, "wasm" or "inline", once it is loaded; else
  // nullptr: guest_host has it.
  sandbox::thread_executor* on_thread() { return on_thread_.get(); }
  // Such a one. Translates a module that the cache does not have: seconds. Why it can't be had;
  // empty: it can.
  std::string load(const std::string& cache);
  bool runs_on_thread() const { return settings_.run != "process"; }
  // What runs of it on a session's thread ends, if it can be ended, and nothing begins.
  void end() {
    if (on_thread_) on_thread_->end();
  }
  // One of its `concurrency` places; those of processes are guest_host's.
  bool enter() {
    if (inside_.fetch_add(1, std::memory_order_relaxed) < settings_.concurrency) return true;
    leave();
    return false;
  }
  void leave() { inside_.fetch_sub(1, std::memory_order_relaxed); }
  // One of its `queue` places, for who found none of those.
  bool queue_up() {
    if (waiting_.fetch_add(1, std::memory_order_relaxed) < settings_.queue) return true;
    leave_queue();
    return false;
  }
  void leave_queue() { waiting_.fetch_sub(1, std::memory_order_relaxed); }

  // Why it can't be had on a reactor, which tries again, or at all, for what load() said; empty: it
  // can.
  void set_failure(std::size_t reactor, std::string why);
  // On any of them.
  std::string failure() const;

  // A request has ended: counts it, and keeps a record when the handler is to blame.
  void note(const sandbox::outcome& how, std::uint64_t request_id);

 private:
  const guest_handler settings_;
  const file_identity identity_;
  circuit_breaker breaker_;
  fault_log faults_;
  std::unique_ptr<sandbox::thread_executor> on_thread_;
  std::atomic<unsigned> inside_{0};
  std::atomic<unsigned> waiting_{0};
  mutable std::mutex mutex_;
  std::map<std::size_t, std::string> failures_;  // by reactor
  std::array<std::atomic<std::uint64_t>, outcome_count> ended_{};
};

// Whether the handler is to blame, and not its client or the load.
bool is_fault(sandbox::outcome_kind how);

using guest_list = std::vector<std::shared_ptr<guest>>;

}  // namespace bulkhead::actors
