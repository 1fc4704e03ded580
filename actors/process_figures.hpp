// What the system knows of this process.
#pragma once

#include <cstdint>

namespace bulkhead::actors {

// Zero stands for what could not be read.
struct process_figures {
  std::uint64_t resident_bytes = 0;
  std::uint64_t descriptors = 0;
  std::uint64_t threads = 0;
  double cpu_seconds = 0;
  double start_seconds = 0;  // since the Unix epoch
};

// Reads /proc: some microseconds, more with many descriptors. Any thread.
process_figures read_process_figures();

}  // namespace bulkhead::actors
