// One guest handler as all reactors share it: its settings, and what is known of its faults.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/circuit_breaker.hpp"
#include "actors/fault_log.hpp"
#include "actors/guest_handler.hpp"
#include "sandbox/outcome.hpp"
#include "sandbox/wasm/executor.hpp"

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

  // Of a WebAssembly handler, once it is loaded; else nullptr.
  sandbox::wasm_executor* module() { return module_.get(); }
  // Translates the module, if this is one and the cache does not have it: seconds. Why it can't be
  // had; empty: it can.
  std::string load_module(const std::string& cache);
  // What runs of it on a session's thread ends, and nothing begins.
  void end() {
    if (module_) module_->end();
  }
  // One of `concurrency` places of a module; those of processes are guest_host's.
  bool enter() {
    if (inside_.fetch_add(1, std::memory_order_relaxed) < settings_.concurrency) return true;
    leave();
    return false;
  }
  void leave() { inside_.fetch_sub(1, std::memory_order_relaxed); }

  // A request has ended: counts it, and keeps a record when the handler is to blame.
  void note(const sandbox::outcome& how, std::uint64_t request_id);

 private:
  const guest_handler settings_;
  const file_identity identity_;
  circuit_breaker breaker_;
  fault_log faults_;
  std::unique_ptr<sandbox::wasm_executor> module_;
  std::atomic<unsigned> inside_{0};
  std::array<std::atomic<std::uint64_t>, outcome_count> ended_{};
};

// Whether the handler is to blame, and not its client or the load.
bool is_fault(sandbox::outcome_kind how);

using guest_list = std::vector<std::shared_ptr<guest>>;

}  // namespace bulkhead::actors
