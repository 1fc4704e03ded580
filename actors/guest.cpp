#include "actors/guest.hpp"

#include <sys/stat.h>

#include <utility>

#include "actors/guest_settings.hpp"

namespace bulkhead::actors {

file_identity identity_of(const std::string& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0) return {};
  constexpr std::int64_t second_ns = 1'000'000'000;
  return {found.st_dev, found.st_ino, found.st_mtim.tv_sec * second_ns + found.st_mtim.tv_nsec,
          static_cast<std::uint64_t>(found.st_size)};
}

guest::guest(const guest_handler& how)
    : settings_(how),
      identity_(identity_of(how.file)),
      breaker_({how.breaker_faults, how.breaker_window, how.breaker_open}) {}

std::string guest::load_module(const std::string& cache) {
  if (settings_.run != "wasm" || module_) return {};
  auto loaded = sandbox::wasm_executor::load(module_settings_for(settings_, cache));
  module_ = std::move(loaded.value);
  return std::move(loaded.error);
}

void guest::note(const sandbox::outcome& how, std::uint64_t request_id) {
  ended_[static_cast<std::size_t>(how.kind)].fetch_add(1, std::memory_order_relaxed);
  if (is_fault(how.kind)) faults_.add(fault_of(how, request_id, std::chrono::system_clock::now()));
}

bool is_fault(sandbox::outcome_kind how) {
  using enum sandbox::outcome_kind;
  return how != response && how != overloaded;
}

}  // namespace bulkhead::actors
