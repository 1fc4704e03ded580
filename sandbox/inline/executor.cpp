#include "sandbox/inline/executor.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "sandbox/bulkhead_guest.h"
#include "sandbox/process/object.hpp"
#include "sandbox/returned.hpp"

namespace bulkhead::sandbox {
namespace {

// The call that this thread is in; a guest's own threads are in none.
struct inline_call {
  thread_executor::time_point began;
  const inline_settings& settings;
  std::string log;
};
thread_local inline_call* inline_top = nullptr;

std::int64_t left_of(std::chrono::nanoseconds budget) {
  const auto used = std::chrono::steady_clock::now() - inline_top->began;
  return std::max<std::int64_t>((budget - used) / std::chrono::nanoseconds(1), 0);
}

outcome failed_inline(outcome_kind kind, std::string detail) {
  outcome one;
  one.kind = kind;
  one.detail = std::move(detail);
  return one;
}

// A path that no object before had: the C library takes what it keeps under a name for the same
// object, and some it keeps for ever. The number is written with "./" for 0 and ".//" for 1.
std::string name_of(const object& code) {
  std::string name = "/proc/self/fd/";
  for (auto id = code.id; id != 0; id >>= 1) name += (id & 1) != 0 ? ".//" : "./";
  return name + std::to_string(code.content.get());
}

}  // namespace

inline_executor::loaded inline_executor::load(const inline_settings& settings) {
  auto code = object::load(settings.file);
  if (!code.value) return {nullptr, std::move(code.error)};
  const auto name = name_of(*code.value);
  std::unique_ptr<inline_executor> made(new inline_executor(settings));
  made->library_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* symbol = made->library_ ? dlsym(made->library_, "bulkhead_handle") : nullptr;
  if (!symbol) {
    const auto* why = dlerror();
    return {nullptr, settings.file + ": " + (why ? why : "it does not define bulkhead_handle")};
  }
  made->handle_ = reinterpret_cast<handle_function>(symbol);
  return {std::move(made), {}};
}

inline_executor::~inline_executor() {
  if (library_) dlclose(library_);
}

outcome inline_executor::call(std::string_view blob, time_point now) {
  if (blob.size() > settings_.request_bytes_max)
    return failed_inline(outcome_kind::overloaded, "the request is larger than the handler takes");
  inline_call here{now, settings_, {}};
  auto* const before = std::exchange(inline_top, &here);
  auto result = run(blob);
  inline_top = before;
  result.log = std::move(here.log);
  result.wall = std::chrono::steady_clock::now() - now;
  return result;
}

namespace {

// The thread's own, for one call at a time. Kept: with a new one for each call, a mapping and its
// first pages anew, `bench handlers` had 14,500 small requests a second, and 81,100 without.
std::uint8_t* response_room(std::uint32_t bytes) {
  thread_local std::unique_ptr<std::uint8_t[]> room;
  thread_local std::uint32_t room_bytes = 0;
  if (room_bytes < bytes) {
    room_bytes = 0;
    room = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
    room_bytes = bytes;
  }
  return room.get();
}

}  // namespace

outcome inline_executor::run(std::string_view blob) const {
  try {
    auto* const room = response_room(settings_.response_bytes_max);
    const auto code =
        handle_(reinterpret_cast<const std::uint8_t*>(blob.data()),
                static_cast<std::uint32_t>(blob.size()), room, settings_.response_bytes_max);
    return outcome_of(code, settings_.response_bytes_max,
                      [&](std::uint32_t bytes) {
                        return std::string(reinterpret_cast<const char*>(room), bytes);
                      })
        .result;
  } catch (const std::bad_alloc&) {
    return failed_inline(outcome_kind::out_of_memory, "");
  } catch (const std::exception& thrown) {
    return failed_inline(outcome_kind::exception, thrown.what());
  } catch (...) {
    return failed_inline(outcome_kind::exception, "something that is no std::exception");
  }
}

}  // namespace bulkhead::sandbox

using bulkhead::sandbox::inline_top;

int64_t bulkhead_wall_left_ns(void) {
  return inline_top ? bulkhead::sandbox::left_of(inline_top->settings.wall_max) : 0;
}

// A thread uses no more CPU time than there is time: that much is left at least.
int64_t bulkhead_cpu_left_ns(void) {
  return inline_top ? bulkhead::sandbox::left_of(inline_top->settings.cpu_max) : 0;
}

uint64_t bulkhead_memory_bytes_max(void) {
  return inline_top ? inline_top->settings.memory_bytes_max : 0;
}

void bulkhead_log(const char* text, uint32_t text_bytes) {
  if (!inline_top) return;
  auto& log = inline_top->log;
  const auto room = inline_top->settings.log_bytes_max - log.size();
  if (text_bytes >= room) return;  // no place for it and its line feed
  try {
    log.append(text, text_bytes).push_back('\n');
  } catch (const std::bad_alloc&) {
    // Dropped as well: the caller may be C.
  }
}
