// Looks like a translated module, but its code writes where no guest can.
#include <cstdint>

#include "sandbox/wasm/glue/module.h"

namespace {

const bulkhead_wasm_host* host = nullptr;
struct state {
  bulkhead_wasm_memory memory;
};

void init() {}
void initialize(void*) {}
void instantiate(void* instance) {
  host->allocate_memory(&static_cast<state*>(instance)->memory, 1, 1);
}
bulkhead_wasm_memory* memory(void* instance) {
  return &static_cast<state*>(instance)->memory;
}
std::uint32_t handle(void*, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t) {
  volatile int* nowhere = nullptr;
  asm volatile("" : "+r"(nowhere));
  *nowhere = 1;
  return 0;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const bulkhead_wasm_module bulkhead_wasm_module = {
    .host = &host,
    .instance_bytes = sizeof(state),
    .uses_cpu_left = 0,
    .init = init,
    .instantiate = instantiate,
    .initialize = initialize,
    .memory = memory,
    .handle = handle,
};
