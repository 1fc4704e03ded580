#include "faults/process_tree.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace bulkhead::faults {
namespace {

namespace fs = std::filesystem;

struct process_status {
  pid_t parent = 0;
  std::string state{};
  std::uint64_t resident_kib = 0;
  std::uint64_t threads = 0;
};

std::optional<process_status> read_status(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  if (!file) return std::nullopt;
  process_status found;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "State:") words >> found.state;
    if (key == "PPid:") words >> found.parent;
    if (key == "VmRSS:") words >> found.resident_kib;
    if (key == "Threads:") words >> found.threads;
  }
  return found;
}

// Nothing: it can't be read.
std::optional<std::uint64_t> count_entries(const fs::path& folder) {
  std::error_code failed;
  std::uint64_t count = 0;
  for (fs::directory_iterator each(folder, failed); !failed && each != fs::directory_iterator();
       each.increment(failed))
    ++count;
  if (failed) return std::nullopt;
  return count;
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> all;
  std::error_code failed;
  for (fs::directory_iterator each("/proc", failed); !failed && each != fs::directory_iterator();
       each.increment(failed)) {
    const auto name = each->path().filename().string();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (const auto status = read_status(pid)) all.emplace(status->parent, pid);
  }
  return all;
}

}  // namespace

bool is_alive(pid_t pid) {
  const auto status = read_status(pid);
  return status && status->state != "Z" && status->state != "X";
}

std::optional<tree_figures> read_tree(pid_t root) {
  if (!count_entries("/proc/" + std::to_string(root) + "/fd")) return std::nullopt;
  const auto children = children_by_parent();
  tree_figures sum;
  std::vector<pid_t> todo{root};
  while (!todo.empty()) {
    const auto pid = todo.back();
    todo.pop_back();
    const auto [first, last] = children.equal_range(pid);
    for (auto each = first; each != last; ++each) todo.push_back(each->second);
    const auto status = read_status(pid);
    if (!status || status->threads == 0) continue;  // has just ended
    ++sum.processes;
    sum.resident_kib += status->resident_kib;
    sum.threads += status->threads;
    sum.descriptors += count_entries("/proc/" + std::to_string(pid) + "/fd").value_or(0);
  }
  return sum;
}

}  // namespace bulkhead::faults
