// What an owner of a WebAssembly handler may choose; every bound with its unit and its default.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bulkhead::sandbox {

struct wasm_settings {
  std::string file;   // a module that exports bulkhead_handle
  std::string cache;  // a folder of ours for translated modules: what is in there gets executed

  // From the `now` of call().
  std::chrono::nanoseconds wall_max = std::chrono::seconds(10);
  // Of the calling thread, counted by the millisecond.
  std::chrono::nanoseconds cpu_max = std::chrono::seconds(5);
  // For constructors; and for the translation, where that is needed.
  std::chrono::nanoseconds load_max = std::chrono::seconds(5);
  std::chrono::nanoseconds translate_max = std::chrono::seconds(60);

  // Linear memory of an instance, whole pages of 64 KiB; its first pages count.
  std::size_t memory_bytes_max = 64u << 20;
  // For the calls of translated code; what a guest takes addresses of lies in its linear memory.
  std::size_t stack_bytes_max = 256u << 10;
  // Elements of all tables of an instance.
  std::uint32_t table_elements_max = 1u << 16;
  std::uint32_t request_bytes_max = 1u << 20;
  std::uint32_t response_bytes_max = 1u << 20;
  std::uint32_t log_bytes_max = 16u << 10;

  // An instance is as new after that many requests; 1: nothing stays from one to the next. 0: what
  // globals hold stays until it traps.
  std::uint64_t reset_requests = 1;
  // Requests at the same time, on as many threads; more are `overloaded`.
  unsigned instances_max = 64;
  // Instances that are kept for the next request.
  unsigned idle_max = 16;
};

}  // namespace bulkhead::sandbox
