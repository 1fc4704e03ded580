#include "actors/process_figures.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace bulkhead::actors {

namespace {

// proc(5): fields of /proc/self/stat, counted from the state, which follows the name.
// The name may hold anything, but only it is in parentheses.
enum : std::size_t { user_ticks = 11, system_ticks = 12, threads = 17, start_ticks = 19, rss = 21 };

std::vector<std::string> stat_fields() {
  std::ifstream file("/proc/self/stat");
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::istringstream behind_name(all.substr(std::min(all.rfind(") ") + 2, all.size())));
  return {std::istream_iterator<std::string>(behind_name), {}};
}

// When the system began, in seconds since the Unix epoch; 0: unknown.
double read_boot_seconds() {
  std::ifstream file("/proc/stat");
  for (std::string key; file >> key; file.ignore(1 << 20, '\n')) {
    double seconds = 0;
    if (key == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

std::uint64_t open_descriptors() {
  std::error_code failed;
  std::uint64_t count = 0;
  std::filesystem::directory_iterator each("/proc/self/fd", failed);
  for (; !failed && each != std::filesystem::directory_iterator(); each.increment(failed)) ++count;
  return count > 0 ? count - 1 : 0;  // one is the look itself
}

}  // namespace

process_figures read_process_figures() {
  static const double boot_seconds = read_boot_seconds();
  process_figures figures;
  figures.descriptors = open_descriptors();
  const auto fields = stat_fields();
  if (fields.size() <= rss) return figures;
  const auto number = [&](std::size_t index) {
    return std::strtoull(fields[index].c_str(), nullptr, 10);
  };
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  figures.resident_bytes = number(rss) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  figures.threads = number(threads);
  figures.cpu_seconds = static_cast<double>(number(user_ticks) + number(system_ticks)) / ticks;
  figures.start_seconds = boot_seconds + static_cast<double>(number(start_ticks)) / ticks;
  return figures;
}

}  // namespace bulkhead::actors
