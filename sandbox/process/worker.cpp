#include "sandbox/process/worker.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "sandbox/blob.hpp"

namespace bulkhead::sandbox {
namespace {

constexpr unsigned mfd_noexec_seal = 0x0008;  // Linux 6.3

descriptor make_memory_file(std::size_t bytes) {
  descriptor file(
      memfd_create("bulkhead-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING | mfd_noexec_seal));
  if (!file) file = descriptor(memfd_create("bulkhead-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  // Else a worker could cut the file and the server would get SIGBUS.
  if (!file || ftruncate(file.get(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return {};
  return file;
}

outcome violation(const char* detail) {
  outcome one;
  one.kind = outcome_kind::protocol;
  one.detail = detail;
  return one;
}

// A backstop: the server looks at each request's own budget.
std::uint64_t life_seconds(const handler_settings& settings) {
  using seconds = std::chrono::duration<double>;
  const double most =
      seconds(settings.load_max).count() +
      seconds(settings.cpu_max).count() * static_cast<double>(settings.recycle_requests);
  constexpr double no_limit = 1e9;
  return static_cast<std::uint64_t>(settings.recycle_requests == 0 ? no_limit
                                                                   : std::min(most + 1, no_limit));
}

// What a process sent to itself, zygote/crash.hpp; 0: it ended by itself.
int signal_of(int exit_code) {
  for (const int one : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    if (exit_code == 128 + one) return one;
  return 0;
}

template <std::size_t Size>
std::string copy_of(const shared_text<Size>& from) {
  const std::size_t bytes = from.bytes.load(std::memory_order_relaxed);
  return {from.octets, std::min(bytes, Size)};
}

void translate(worker::answer& said) {
  switch (said.how) {
    case verdict::ready:
    case verdict::unloadable:
      return;
    case verdict::exception:
      said.result.kind = outcome_kind::exception;
      return;
    case verdict::no_memory:
      said.result.kind = outcome_kind::out_of_memory;
      // What it holds would be missing for later requests.
      said.must_end = true;
      return;
    case verdict::too_large:
      said.result.kind = outcome_kind::protocol;
      said.result.detail = "the response is larger than the handler may answer";
      return;
    case verdict::response:
    case verdict::bad_code:
      break;
  }
  said.result = violation("no such answer");
  said.must_end = true;
}

}  // namespace

shared_mapping::shared_mapping(const shared_layout& layout)
    : size_(layout.bytes()), file_(make_memory_file(size_)) {
  if (!file_) return;
  auto* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (mapped == MAP_FAILED) return;
  at_ = static_cast<char*>(mapped);
  auto* fresh = new (at_) shared_page{};
  fresh->request_number.store(1, std::memory_order_relaxed);
}

shared_mapping::~shared_mapping() {
  if (at_) munmap(at_, size_);
}

worker::worker(const handler_settings& settings, std::uint32_t serial)
    : layout_{settings.request_bytes_max, settings.response_bytes_max, settings.log_bytes_max},
      serial_(serial),
      memory_bytes_max_(settings.memory_bytes_max),
      stack_bytes_max_(settings.stack_bytes_max),
      cpu_seconds_max_(life_seconds(settings)),
      object_name_(settings.file.substr(settings.file.rfind('/') + 1)),
      memory_(layout_),
      doorbell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

wire::order worker::order(std::uint64_t object) const {
  wire::order all = {};
  all.kind = wire::order_kind::spawn;
  all.serial = serial_;
  all.object = object;
  all.memory_bytes_max = memory_bytes_max_;
  all.stack_bytes_max = stack_bytes_max_;
  all.request_bytes_max = layout_.request_bytes_max;
  all.response_bytes_max = layout_.response_bytes_max;
  all.log_bytes_max = layout_.log_bytes_max;
  all.cpu_seconds_max = cpu_seconds_max_;
  return all;
}

void worker::born(pid_t pid, descriptor pidfd) {
  pid_ = pid;
  pidfd_ = std::move(pidfd);
  memory_.file().reset();
}

void worker::begin(std::string_view blob, time_point deadline, std::chrono::nanoseconds cpu_max) {
  auto& page = memory_.page();
  std::memcpy(memory_.bytes(layout_.request_at()), blob.data(), blob.size());
  page.request_bytes = static_cast<std::uint32_t>(blob.size());
  page.wall_deadline_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count();
  page.cpu_budget_ns = cpu_max.count();
  page.request_number.store(++number_, std::memory_order_release);
  syscall(SYS_futex, &page.request_number, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

worker::ring worker::take_ring() {
  std::uint64_t count = 0;
  // Somebody else's event: nobody rang.
  if (read(doorbell_.get(), &count, sizeof count) != sizeof count) return ring::not_yet;
  const bool was_owed = std::exchange(owes_ring_, false);
  if ((now == phase::busy || now == phase::loading) && is_answered()) return ring::answered;
  return was_owed && count == 1 ? ring::not_yet : ring::unasked;
}

bool worker::is_answered() const {
  return memory_.page().done_number.load(std::memory_order_acquire) == number_;
}

worker::answer worker::take_answer() const {
  const auto& page = memory_.page();
  // Each number once: they may change under our hands.
  const auto how = static_cast<verdict>(page.verdict.load(std::memory_order_relaxed));
  const std::size_t response_bytes = page.response_bytes.load(std::memory_order_relaxed);
  const std::size_t log_bytes = page.log_bytes.load(std::memory_order_relaxed);
  const std::size_t detail_bytes = page.detail_bytes.load(std::memory_order_relaxed);
  if (response_bytes > layout_.response_bytes_max || log_bytes > layout_.log_bytes_max ||
      detail_bytes > sizeof page.detail)
    return {how, violation("a length is beyond its bound"), true};

  answer said{how, {}, false};
  said.result.log.assign(memory_.bytes(layout_.log_at()), log_bytes);
  said.result.detail.assign(page.detail, detail_bytes);
  if (how == verdict::response)
    take_response(response_bytes, said);
  else
    translate(said);
  return said;
}

void worker::take_response(std::size_t bytes, answer& said) const {
  said.result.blob.assign(memory_.bytes(layout_.response_at()), bytes);
  blob_view checked;
  const auto error = blob_view::read(said.result.blob, checked);
  said.result.kind = outcome_kind::response;
  if (error == blob_error::none) return;
  said.result.kind = outcome_kind::protocol;
  said.result.detail = to_string(error);
  said.result.blob.clear();
  said.must_end = true;
}

void worker::kill() {
  was_killed_by_us = true;
  if (pidfd_)
    syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  else if (pid_ > 0)
    ::kill(pid_, SIGKILL);
}

outcome worker::reap() {
  siginfo_t how = {};
  int result = 0;
  if (pid_ > 0) {
    const auto by = pidfd_ ? P_PIDFD : P_PID;
    const auto id = static_cast<id_t>(pidfd_ ? pidfd_.get() : pid_);
    do result = waitid(by, id, &how, WEXITED | __WALL);
    while (result < 0 && errno == EINTR);
    pid_ = -1;
  }
  pidfd_.reset();
  outcome one;
  one.kind = outcome_kind::crashed;
  if (result < 0) {
    one.detail = "somebody else waited for it";
  } else if (how.si_code == CLD_EXITED) {
    one.exit_code = how.si_status;
    one.signal = signal_of(how.si_status);
  } else {
    one.signal = how.si_status;
  }
  if (one.signal == SIGKILL && !was_killed_by_us)
    one.detail = "killed from outside, perhaps by the kernel for want of memory";
  if (one.signal != 0 && memory_) one.site = site_of(one.signal);
  return one;
}

fault_site worker::site_of(int signal) const {
  const auto& page = memory_.page();
  if (page.crash_signal.load(std::memory_order_acquire) != static_cast<std::uint32_t>(signal))
    return {};
  fault_site site{copy_of(page.program_counter), copy_of(page.symbol), copy_of(page.fault_address)};
  if (site.program_counter.starts_with('+')) site.program_counter.insert(0, object_name_);
  return site;
}

std::chrono::nanoseconds worker::cpu_used() const {
  // clock_getcpuclockid() without its look at whether the process exists: it is ours, unreaped.
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(pid_) << 3) | 2u);
  timespec used = {};
  if (pid_ <= 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::size_t worker::resident_bytes() const {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%d/statm", pid_);
  const descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  char text[128] = {};
  unsigned long pages = 0;
  if (!file || read(file.get(), text, sizeof text - 1) <= 0 ||
      std::sscanf(text, "%*u %lu", &pages) != 1)
    return 0;
  return pages * 4096;
}

}  // namespace bulkhead::sandbox
