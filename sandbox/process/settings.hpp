// What an owner may choose; every bound with its unit and its default.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sandbox/layers.hpp"

namespace bulkhead::sandbox {

struct process_settings {
  // The executor does not start when one of these is not to be had.
  layers require;
  // Not even tried: for tests and for systems where one of them does harm.
  layers without;
  // Guests may load from these, separated by colons; what does not exist is left out.
  std::string libraries = "/lib:/lib64:/usr/lib:/etc/ld.so.cache";
  // Ids that nothing else runs with, in a range that no distribution assigns. Root only.
  std::uint32_t uid_first = 1'879'100'000;
  std::uint32_t uid_count = 10'000;
};

struct handler_settings {
  std::string file;  // a shared object that defines bulkhead_handle

  // Requests that run at the same time, each in a process of its own; 1 to 256.
  unsigned workers = 2;
  // Processes beyond that, loaded and idle, that take the place of one that died.
  unsigned spares = 1;
  // Requests that wait for a worker, in their order; more are `overloaded`.
  std::size_t waiting_max = 64;

  // From start(), waiting included.
  std::chrono::nanoseconds wall_max = std::chrono::seconds(10);
  std::chrono::nanoseconds cpu_max = std::chrono::seconds(5);
  // For loading and constructors.
  std::chrono::nanoseconds load_max = std::chrono::seconds(5);

  // Memory that a process may have besides what an empty one has; the guest's own data counts.
  std::size_t memory_bytes_max = 64u << 20;
  std::size_t stack_bytes_max = 1u << 20;
  // Each worker has these three as memory that it shares with the server, in use once touched.
  std::uint32_t request_bytes_max = 1u << 20;
  std::uint32_t response_bytes_max = 1u << 20;
  std::uint32_t log_bytes_max = 16u << 10;

  // A worker is replaced after that many requests (0: never) ...
  std::uint64_t recycle_requests = 100'000;
  // ... or when it holds that much more resident memory than after loading.
  std::size_t recycle_growth_bytes = 48u << 20;

  // After a process that died before it was ready; doubles up to the maximum.
  std::chrono::nanoseconds retry_after = std::chrono::milliseconds(100);
  std::chrono::nanoseconds retry_after_max = std::chrono::seconds(10);
};

}  // namespace bulkhead::sandbox
