// A tool that reads what a stranger wrote.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace bulkhead::sandbox {

// Runs a program and waits for its end. It can read /usr and the like, write into one folder, which
// is also where it runs, and reach no network; no capabilities, no descriptors, no environment but
// a path; limits for time, memory and files; no system calls but those of tool_filter.hpp; a PID
// namespace, all of which ends with it. Layers that the system lacks are left out. Makes a child
// for as long as that takes; any thread.
struct confined_run {
  bool succeeded = false;
  std::string output;  // of both kinds, its end
};
struct confinement {
  std::string folder;
  std::chrono::nanoseconds time_max;
  std::uint64_t memory_bytes_max = std::uint64_t{2} << 30;
  std::uint64_t file_bytes_max = 256u << 20;
};
confined_run run_confined(const std::vector<std::string>& arguments, const confinement& limits);

}  // namespace bulkhead::sandbox
