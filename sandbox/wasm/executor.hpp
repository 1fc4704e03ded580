// WebAssembly handlers in this process: the way in. What it contains: sandbox/README.md.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/thread_executor.hpp"
#include "sandbox/wasm/module.hpp"
#include "sandbox/wasm/settings.hpp"

namespace bulkhead::sandbox {

// One handler: a module, and instances of it that wait for requests.
//
// Any thread may call, as many at once as instances_max says, and is used for the call: from a
// reactor thread mark it as user code. What guests cause are outcomes; std::bad_alloc is the only
// exception. A fault that no guest can cause unless it got out ends the process: its handler of
// SIGSEGV, if it has one, must have been installed before load(). A thread that blocks SIGURG has
// it unblocked by its first call.
class wasm_executor final : public thread_executor {
 public:
  struct loaded;
  // Translates the file unless the cache has it, 1 to 2 s, and runs the module's constructors.
  static loaded load(const wasm_settings& settings);
  wasm_executor(const wasm_executor&) = delete;
  wasm_executor& operator=(const wasm_executor&) = delete;
  // When nobody calls any more.
  ~wasm_executor() override = default;

  outcome call(std::string_view blob, time_point now) override;

  void end() override;

  struct counts {
    std::size_t idle = 0, busy = 0;
    std::uint64_t served = 0;  // answered, well or not
    std::uint64_t faults = 0;  // instances that trapped, were cut off, or broke the contract
  };
  counts count() const;

 private:
  wasm_executor(wasm_settings settings, std::shared_ptr<void> watchdog,
                std::shared_ptr<const wasm_module> code);
  struct lease;
  std::unique_ptr<wasm_instance> take();
  void give_back(std::unique_ptr<wasm_instance>& one);
  outcome run(wasm_instance& one, std::string_view blob, time_point now, bool& goes_on) const;
  bool make_fit(wasm_instance& one, outcome_kind after) const;

  const wasm_settings settings_;
  const std::shared_ptr<void> watchdog_;
  const std::shared_ptr<const wasm_module> module_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<wasm_instance>> idle_;
  std::size_t busy_ = 0;
  std::atomic<bool> is_ending_{false};
  std::atomic<std::uint64_t> served_{0};
  std::atomic<std::uint64_t> faults_{0};
};

struct wasm_executor::loaded {
  std::unique_ptr<wasm_executor> value;
  std::string error;  // names the file, and what is wrong with it or which package is missing
};

}  // namespace bulkhead::sandbox
