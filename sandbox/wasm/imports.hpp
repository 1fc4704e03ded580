// What guests may ask of the server. Called through the gates of switch.cpp: on the server's stack,
// below a frame of this thread, never with a guest's address that was not checked. None throws.
#pragma once

#include <cstdint>

#include "sandbox/wasm/glue/module.h"

extern "C" {
std::uint32_t bulkhead_wasm_register_type(const std::uint32_t* kinds, std::uint32_t params,
                                          std::uint32_t results) noexcept;
void bulkhead_wasm_trap(std::uint32_t, const void*) noexcept;
void bulkhead_wasm_allocate_memory(bulkhead_wasm_memory*, std::uint32_t, std::uint32_t) noexcept;
std::uint32_t bulkhead_wasm_grow_memory(bulkhead_wasm_memory*, std::uint32_t) noexcept;
void bulkhead_wasm_allocate_table(bulkhead_wasm_table*, std::uint32_t, std::uint32_t) noexcept;
std::int64_t bulkhead_wasm_wall_left_ns() noexcept;
std::int64_t bulkhead_wasm_cpu_left_ns() noexcept;
std::uint64_t bulkhead_wasm_memory_bytes_max() noexcept;
void bulkhead_wasm_log(std::uint32_t, std::uint32_t) noexcept;
std::uint32_t bulkhead_wasm_clock_get(std::uint32_t, std::uint32_t) noexcept;
std::uint32_t bulkhead_wasm_random_get(std::uint32_t, std::uint32_t) noexcept;
std::uint32_t bulkhead_wasm_fd_write(std::uint32_t, std::uint32_t, std::uint32_t,
                                     std::uint32_t) noexcept;
std::uint32_t bulkhead_wasm_poll_oneoff(std::uint32_t, std::uint32_t, std::uint32_t,
                                        std::uint32_t) noexcept;
std::uint32_t bulkhead_wasm_store_two_zeros(std::uint32_t, std::uint32_t) noexcept;
void bulkhead_wasm_proc_exit(std::uint32_t) noexcept;
}
