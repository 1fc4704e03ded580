#include "actors/cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

namespace bulkhead::actors {

namespace {

unsigned affinity_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

// The control group's path: the part behind "0::" in /proc/self/cgroup.
std::string control_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return {};
}

// "max 100000" or "150000 100000": quota and period in microseconds.
unsigned quota_cpus() {
  std::ifstream file("/sys/fs/cgroup" + control_group() + "/cpu.max");
  std::string quota;
  double period_us = 0;
  if (!(file >> quota >> period_us) || quota == "max" || period_us <= 0) return ~0u;
  return static_cast<unsigned>(std::max(1.0, std::ceil(std::stod(quota) / period_us)));
}

}  // namespace

unsigned usable_cpus() {
  return std::min(affinity_cpus(), quota_cpus());
}

}  // namespace bulkhead::actors
