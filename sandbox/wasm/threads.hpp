// The threads that call into modules, the watchdog that cuts them off, and the signals for both.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "sandbox/outcome.hpp"

namespace bulkhead::sandbox {

// Sent to cut a call off. Ignored by default, and by everybody else who gets one by mistake.
int kick_signal();

// A thread that looks every millisecond, while anybody calls, who is beyond his budget. One for the
// whole process as long as somebody holds it; holding it also installs the handlers of the kick, of
// SIGSEGV and of SIGBUS. A fault that is no guest's goes to the handler that was there before, with
// this one gone: install those first. Not for a process that is forked from one that holds it.
// Throws std::system_error.
std::shared_ptr<void> hold_watchdog();

// The present thread in a call, from construction to destruction; nested ones each count for
// themselves. The frame comes on top afterwards and leaves before. noexcept but for a thread's
// first one, which allocates, takes an alternate stack and unblocks the kick: std::bad_alloc.
class wasm_watch {
 public:
  struct budgets {
    std::chrono::steady_clock::time_point deadline;
    std::chrono::nanoseconds cpu_max;
    bool counts_cpu = false;      // whether cpu_left() will be asked
    const void* owner = nullptr;  // for cut()
  };
  explicit wasm_watch(const budgets& all);
  ~wasm_watch();
  wasm_watch(const wasm_watch&) = delete;
  wasm_watch& operator=(const wasm_watch&) = delete;

  // The innermost calls of that owner have no time left, on whatever thread. Any thread.
  static void cut(const void* owner);

  // Whether the innermost call was cut off while the server's code ran for it, and which budget cut
  // off a call that landed.
  static bool is_cut_off();
  budget_kind budget() const;

  static std::chrono::nanoseconds wall_left();
  static std::chrono::nanoseconds cpu_left();
  // What the thread used since the watchdog saw the call first.
  std::chrono::nanoseconds cpu() const;

 private:
  std::int64_t outer_deadline_;
  std::int64_t outer_cpu_max_;
  std::int64_t outer_cpu_began_;
  const void* outer_owner_;
};

}  // namespace bulkhead::sandbox
