// The worker's own work: load the guest, wait, call it, say how it went. From here on the guest's
// code runs in this process, and everything that is written here is a courtesy to honest guests.
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "sandbox/bulkhead_guest.h"
#include "sandbox/process/shared_memory.hpp"
#include "sandbox/zygote/crash.hpp"
#include "sandbox/zygote/worker.hpp"

namespace bulkhead::sandbox::zygote {
namespace {

struct state {
  shared_page* page = nullptr;
  std::byte* memory = nullptr;
  shared_layout layout{};
  std::uint64_t memory_bytes_max = 0;
  std::int64_t cpu_began_ns = 0;
  std::uint32_t log_bytes = 0;
};
state now;

std::int64_t clock_ns(clockid_t which) {
  timespec time = {};
  clock_gettime(which, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void set_detail(std::string_view text) {
  const auto bytes = std::min(text.size(), sizeof now.page->detail);
  std::memcpy(now.page->detail, text.data(), bytes);
  now.page->detail_bytes.store(static_cast<std::uint32_t>(bytes), std::memory_order_relaxed);
}

void finish(std::uint32_t number, verdict how, std::uint32_t response_bytes = 0) {
  now.page->verdict.store(static_cast<std::uint32_t>(how), std::memory_order_relaxed);
  now.page->response_bytes.store(response_bytes, std::memory_order_relaxed);
  now.page->log_bytes.store(now.log_bytes, std::memory_order_relaxed);
  now.page->done_number.store(number, std::memory_order_release);
  const std::uint64_t one = 1;
  // Full only when somebody rang without end, which the server ends anyway.
  [[maybe_unused]] const auto rung = write(doorbell_fd, &one, sizeof one);
}

std::uint32_t wait_after(std::uint32_t number) {
  for (;;) {
    const auto next = now.page->request_number.load(std::memory_order_acquire);
    if (next != number) return next;
    syscall(SYS_futex, &now.page->request_number, FUTEX_WAIT, number, nullptr, nullptr, 0);
  }
}

verdict verdict_of(std::int32_t returned) {
  switch (returned) {
    case BULKHEAD_FAILED:
      return verdict::exception;
    case BULKHEAD_TOO_LARGE:
      return verdict::too_large;
    case BULKHEAD_NO_MEMORY:
      return verdict::no_memory;
    default:
      return returned >= 0 ? verdict::response : verdict::bad_code;
  }
}

using handle_function = decltype(&bulkhead_handle);

verdict call(handle_function handle, std::uint32_t& response_bytes) {
  const auto* request = reinterpret_cast<std::uint8_t*>(now.memory + now.layout.request_at());
  auto* response = reinterpret_cast<std::uint8_t*>(now.memory + now.layout.response_at());
  try {
    const auto returned =
        handle(request, now.page->request_bytes, response, now.layout.response_bytes_max);
    response_bytes = returned < 0 ? 0 : static_cast<std::uint32_t>(returned);
    return verdict_of(returned);
  } catch (const std::bad_alloc&) {
    return verdict::no_memory;
  } catch (const std::exception& thrown) {
    set_detail(thrown.what());
  } catch (...) {
    set_detail("something that is no std::exception");
  }
  return verdict::exception;
}

handle_function load(const std::string& path) {
  auto* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* symbol = object ? dlsym(object, "bulkhead_handle") : nullptr;
  if (symbol) return reinterpret_cast<handle_function>(symbol);
  const auto* why = dlerror();
  set_detail(why ? why : "it does not define bulkhead_handle");
  finish(1, verdict::unloadable);
  _exit(0);
}

}  // namespace

void serve(const wire::order& order, std::byte* memory, const std::string& path,
           const program& serving_filter) {
  now.page = reinterpret_cast<shared_page*>(memory);
  now.memory = memory;
  now.layout = {order.request_bytes_max, order.response_bytes_max, order.log_bytes_max};
  now.memory_bytes_max = order.memory_bytes_max;
  tell_crashes(*now.page, path);
  const auto handle = load(path);
  close(4);
  if (!serving_filter.empty() && !install(serving_filter)) _exit(no_filter);
  std::uint32_t number = 1;
  finish(number, verdict::ready);
  for (;;) {
    number = wait_after(number);
    now.cpu_began_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    now.log_bytes = 0;
    now.page->detail_bytes.store(0, std::memory_order_relaxed);
    std::uint32_t response_bytes = 0;
    const auto how = call(handle, response_bytes);
    finish(number, how, response_bytes);
  }
}

}  // namespace bulkhead::sandbox::zygote

using bulkhead::sandbox::zygote::now;

int64_t bulkhead_wall_left_ns(void) {
  const auto left =
      now.page->wall_deadline_ns - bulkhead::sandbox::zygote::clock_ns(CLOCK_MONOTONIC);
  return std::max<int64_t>(left, 0);
}

int64_t bulkhead_cpu_left_ns(void) {
  const auto used =
      bulkhead::sandbox::zygote::clock_ns(CLOCK_PROCESS_CPUTIME_ID) - now.cpu_began_ns;
  return std::max<int64_t>(now.page->cpu_budget_ns - used, 0);
}

uint64_t bulkhead_memory_bytes_max(void) {
  return now.memory_bytes_max;
}

void bulkhead_log(const char* text, uint32_t text_bytes) {
  const auto room = now.layout.log_bytes_max - now.log_bytes;
  if (text_bytes >= room) return;  // no place for it and its line feed
  auto* to = now.memory + now.layout.log_at() + now.log_bytes;
  std::memcpy(to, text, text_bytes);
  to[text_bytes] = std::byte{'\n'};
  now.log_bytes += text_bytes + 1;
}
