// From the server's stack to a guest's and back, by return, by trap, or by force.
#pragma once

#include <cstdint>

#include "sandbox/wasm/glue/module.h"

namespace bulkhead::sandbox {
class wasm_instance;

// Why a guest's code did not return.
enum class landing : int {
  none,
  trap,           // `trap_kind` of WebAssembly
  out_of_bounds,  // of its linear memory, by address
  exhaustion,     // of its stack
  deadline,
  left,     // it called exit
  refused,  // what it wanted is beyond its limits
};

// Of one call into a module; lives on the server's stack as long as the call. What a signal handler
// needs is here, in plain numbers.
struct wasm_frame {
  // Of the server's stack, with all registers that a call preserves on it. These two come first.
  void* sp = nullptr;
  std::uint64_t result = 0;
  wasm_frame* previous = nullptr;
  wasm_instance* instance = nullptr;
  std::uintptr_t text_begin = 0, text_end = 0;
  std::uintptr_t memory_begin = 0, memory_end = 0;  // with all that a guest's addresses can reach
  std::uintptr_t guard_begin = 0, guard_end = 0;    // below its stack
  // Of the instruction that did it and what it touched; set by whoever lands.
  std::uintptr_t pc = 0, address = 0;
  std::uint32_t code = 0;  // of a trap or an exit
};

}  // namespace bulkhead::sandbox

extern "C" {

// The innermost call of this thread, null: none.
extern __thread bulkhead::sandbox::wasm_frame* bulkhead_wasm_top
    __attribute__((tls_model("initial-exec")));

// Calls a function of a module on another stack, of which `stack_end` is the upper end, aligned to
// 16: with five arguments, of which it may take fewer. Returns 0 after its return, `result` is set
// then; or what was given to bulkhead_wasm_land().
int bulkhead_wasm_enter(bulkhead::sandbox::wasm_frame* frame, void* stack_end, const void* function,
                        const std::uint64_t* arguments);

// Continues after bulkhead_wasm_enter() of that frame, whatever ran since is dropped without
// destructors: for code that has none. From a signal handler by setting RIP, RDI and RSI.
[[noreturn]] void bulkhead_wasm_land(bulkhead::sandbox::wasm_frame* frame, int code);

// How a module reaches the functions of imports.cpp.
extern const bulkhead_wasm_host bulkhead_wasm_gates;
}

namespace bulkhead::sandbox {

// Makes a frame this thread's innermost one.
class wasm_top {
 public:
  explicit wasm_top(wasm_frame& frame) {
    frame.previous = bulkhead_wasm_top;
    bulkhead_wasm_top = &frame;
  }
  ~wasm_top() { bulkhead_wasm_top = bulkhead_wasm_top->previous; }
  wasm_top(const wasm_top&) = delete;
  wasm_top& operator=(const wasm_top&) = delete;
};

}  // namespace bulkhead::sandbox
