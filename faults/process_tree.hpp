// What a process and all its descendants hold, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace bulkhead::faults {

struct tree_figures {
  std::uint64_t resident_kib = 0;  // shared pages once for each process that has them
  std::uint64_t descriptors = 0;
  std::uint64_t threads = 0;
  std::uint64_t processes = 0;
};

// False: there is none, or nothing is left of it but its exit code.
bool is_alive(pid_t pid);

// How many processes more or fewer.
inline std::uint64_t processes_changed(const tree_figures& before, const tree_figures& after) {
  return before.processes < after.processes ? after.processes - before.processes
                                            : before.processes - after.processes;
}

// Nothing: there is no such process, or it is somebody else's.
std::optional<tree_figures> read_tree(pid_t root);

}  // namespace bulkhead::faults
