#include "actors/guest.hpp"

#include <sys/stat.h>

#include <utility>

#include "actors/guest_settings.hpp"
#include "sandbox/inline/executor.hpp"
#include "sandbox/wasm/executor.hpp"

namespace bulkhead::actors {

namespace {

constexpr auto everywhere = ~std::size_t{0};  // among reactors

}  // namespace

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

std::string guest::load(const std::string& cache) {
  if (on_thread_) return {};
  const auto keep = [this](auto loaded) {
    on_thread_ = std::move(loaded.value);
    set_failure(everywhere, loaded.error);
    return std::move(loaded.error);
  };
  if (settings_.run == "wasm")
    return keep(sandbox::wasm_executor::load(module_settings_for(settings_, cache)));
  if (settings_.run == "inline")
    return keep(sandbox::inline_executor::load(inline_settings_for(settings_)));
  return {};
}

void guest::set_failure(std::size_t reactor, std::string why) {
  const std::lock_guard guard(mutex_);
  if (why.empty())
    failures_.erase(reactor);
  else
    failures_[reactor] = std::move(why);
}

std::string guest::failure() const {
  const std::lock_guard guard(mutex_);
  return failures_.empty() ? std::string() : failures_.begin()->second;
}

void guest::note(const sandbox::outcome& how, std::uint64_t request_id) {
  ended_[static_cast<std::size_t>(how.kind)].fetch_add(1, std::memory_order_relaxed);
  if (is_fault(how.kind)) faults_.add(fault_of(how, request_id, std::chrono::system_clock::now()));
}

bool is_fault(sandbox::outcome_kind how) {
  using enum sandbox::outcome_kind;
  return how != response && how != overloaded && how != gone;
}

}  // namespace bulkhead::actors
