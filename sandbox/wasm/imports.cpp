#include "sandbox/wasm/imports.hpp"

#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sandbox/wasm/instance.hpp"
#include "sandbox/wasm/module.hpp"
#include "sandbox/wasm/switch.hpp"
#include "sandbox/wasm/threads.hpp"

namespace bulkhead::sandbox {
namespace {

constexpr std::uint32_t wasi_good = 0, wasi_badf = 8, wasi_inval = 28, wasi_notsup = 58;

wasm_instance& caller() {
  return *bulkhead_wasm_top->instance;
}

[[noreturn]] void end(landing how, std::uint32_t code = 0) {
  bulkhead_wasm_top->code = code;
  bulkhead_wasm_land(bulkhead_wasm_top, static_cast<int>(how));
}

// Before each return to the guest.
void end_if_cut_off() {
  if (wasm_watch::is_cut_off()) end(landing::deadline);
}

template <class T>
T handed_back(T value) {
  end_if_cut_off();
  return value;
}

// The caller's memory, or its end.
std::uint8_t* memory(std::uint32_t at, std::uint64_t bytes) {
  auto* found = caller().memory(at, bytes);
  if (!found) {
    bulkhead_wasm_top->address = at;
    end(landing::trap, wasm_trap_out_of_bounds);
  }
  return found;
}

template <class T>
T load(std::uint32_t at) {
  T value;
  std::memcpy(&value, memory(at, sizeof value), sizeof value);
  return value;
}

template <class T>
void store(std::uint32_t at, T value) {
  std::memcpy(memory(at, sizeof value), &value, sizeof value);
}

// In slices, since a kick that comes just before the system call is not seen by it.
void sleep_until_cut_off_or(std::int64_t end_ns) {
  for (;;) {
    end_if_cut_off();
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto left = end_ns - (now.tv_sec * 1'000'000'000LL + now.tv_nsec);
    if (left <= 0) return;
    const timespec slice{0, static_cast<long>(std::min<std::int64_t>(left, 10'000'000))};
    nanosleep(&slice, nullptr);
  }
}

}  // namespace

extern "C" {

std::uint32_t bulkhead_wasm_register_type(const std::uint32_t* kinds, std::uint32_t params,
                                          std::uint32_t results) noexcept {
  return register_wasm_type({kinds, params + results}, params);
}

void bulkhead_wasm_trap(std::uint32_t kind, const void* from) noexcept {
  // The call, not what follows it: that may be another function.
  bulkhead_wasm_top->pc = reinterpret_cast<std::uintptr_t>(from) - 1;
  end(landing::trap, kind);
}

void bulkhead_wasm_allocate_memory(bulkhead_wasm_memory* to, std::uint32_t initial,
                                   std::uint32_t max) noexcept {
  if (!caller().allocate_memory(*to, initial, max)) end(landing::refused);
}

std::uint32_t bulkhead_wasm_grow_memory(bulkhead_wasm_memory* which, std::uint32_t pages) noexcept {
  return handed_back(caller().grow_memory(*which, pages));
}

void bulkhead_wasm_allocate_table(bulkhead_wasm_table* to, std::uint32_t elements,
                                  std::uint32_t) noexcept {
  if (!caller().allocate_table(*to, elements)) end(landing::refused);
}

std::int64_t bulkhead_wasm_wall_left_ns() noexcept {
  return handed_back(wasm_watch::wall_left().count());
}

std::int64_t bulkhead_wasm_cpu_left_ns() noexcept {
  return handed_back(wasm_watch::cpu_left().count());
}

std::uint64_t bulkhead_wasm_memory_bytes_max() noexcept {
  return handed_back(caller().memory_bytes_max());
}

void bulkhead_wasm_log(std::uint32_t text, std::uint32_t bytes) noexcept {
  caller().log(reinterpret_cast<const char*>(memory(text, bytes)), bytes);
  end_if_cut_off();
}

std::uint32_t bulkhead_wasm_clock_get(std::uint32_t id, std::uint32_t to) noexcept {
  if (id > 1) return wasi_inval;
  timespec time = {};
  clock_gettime(id == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &time);
  store<std::int64_t>(to, time.tv_sec * 1'000'000'000LL + time.tv_nsec);
  return handed_back(wasi_good);
}

std::uint32_t bulkhead_wasm_random_get(std::uint32_t to, std::uint32_t bytes) noexcept {
  auto* at = memory(to, bytes);
  while (bytes > 0) {
    // In parts, with a look in between whether it is cut off.
    const auto got = getrandom(at, std::min<std::uint32_t>(bytes, 256), 0);
    if (got < 0 && errno != EINTR) return wasi_notsup;
    at += std::max<ssize_t>(got, 0);
    bytes -= static_cast<std::uint32_t>(std::max<ssize_t>(got, 0));
    end_if_cut_off();
  }
  return wasi_good;
}

// What a C library says when it aborts is the guest's log.
std::uint32_t bulkhead_wasm_fd_write(std::uint32_t fd, std::uint32_t vectors, std::uint32_t count,
                                     std::uint32_t written_to) noexcept {
  if (fd != 1 && fd != 2) return wasi_badf;
  if (count > 64) return wasi_inval;
  std::uint32_t written = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto text = load<std::uint32_t>(vectors + 8 * i);
    const auto bytes = load<std::uint32_t>(vectors + 8 * i + 4);
    caller().write(reinterpret_cast<const char*>(memory(text, bytes)), bytes);
    written += bytes;
  }
  store(written_to, written);
  return handed_back(wasi_good);
}

// A sleep, and nothing else that can be waited for: one subscription to a clock.
std::uint32_t bulkhead_wasm_poll_oneoff(std::uint32_t in, std::uint32_t out, std::uint32_t count,
                                        std::uint32_t events_to) noexcept {
  constexpr std::uint32_t subscription_bytes = 48, event_bytes = 32;
  const auto* asked = memory(in, subscription_bytes);
  std::uint64_t user_data = 0, timeout = 0;
  std::uint32_t clock_id = 0;
  std::uint16_t flags = 0;
  const auto tag = asked[8];
  std::memcpy(&user_data, asked, 8);
  std::memcpy(&clock_id, asked + 16, 4);
  std::memcpy(&timeout, asked + 24, 8);
  std::memcpy(&flags, asked + 40, 2);
  if (count != 1 || tag != 0 || clock_id > 1) return wasi_notsup;
  timespec time = {};
  clock_gettime(clock_id == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * 1'000'000'000LL + time.tv_nsec;
  const auto bounded =
      static_cast<std::int64_t>(std::min<std::uint64_t>(timeout, std::uint64_t{1} << 62));
  const auto left = (flags & 1) != 0 ? bounded - now : bounded;
  clock_gettime(CLOCK_MONOTONIC, &time);
  sleep_until_cut_off_or(time.tv_sec * 1'000'000'000LL + time.tv_nsec +
                         std::max<std::int64_t>(left, 0));
  std::memset(memory(out, event_bytes), 0, event_bytes);
  store(out, user_data);
  store<std::uint32_t>(events_to, 1);
  return handed_back(wasi_good);
}

std::uint32_t bulkhead_wasm_store_two_zeros(std::uint32_t first, std::uint32_t second) noexcept {
  store<std::uint32_t>(first, 0);
  store<std::uint32_t>(second, 0);
  return handed_back(wasi_good);
}

void bulkhead_wasm_proc_exit(std::uint32_t code) noexcept {
  end(landing::left, code);
}

}  // extern "C"
}  // namespace bulkhead::sandbox
