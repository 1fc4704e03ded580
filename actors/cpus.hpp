#pragma once

namespace bulkhead::actors {

// How many CPUs this process may use: its affinity mask, cut down to the CPU
// quota of its control group (cgroup v2 cpu.max), at least 1.
unsigned usable_cpus();

}  // namespace bulkhead::actors
