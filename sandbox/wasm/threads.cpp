#include "sandbox/wasm/threads.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "sandbox/alternate_stack.hpp"
#include "sandbox/wasm/switch.hpp"

namespace bulkhead::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr auto tick = 1ms;
// Without a call for that many, the watchdog waits for the next one.
constexpr unsigned idle_ticks_max = 100;

struct watched_thread {
  // Of the innermost call; another one for each begin and end, so that a late kick hits nobody.
  std::atomic<std::uint64_t> sequence{0};
  // 0: no call. Written after the sequence.
  std::atomic<std::int64_t> deadline_ns{0};
  std::atomic<std::int64_t> cpu_max_ns{0};
  std::atomic<const void*> owner{nullptr};
  std::atomic<std::uint64_t> cut_sequence{0};
  std::atomic<std::uint64_t> kicked_sequence{0};
  std::atomic<budget_kind> kicked_for{budget_kind::none};
  std::atomic<bool> is_pending{false};
  std::atomic<std::int64_t> cpu_used_ns{0};
  std::int64_t cpu_began_ns = 0;  // the thread's own
  bool is_listed = false;
  pid_t tid = 0;
  clockid_t cpu_clock = 0;
  // The watchdog's own.
  std::uint64_t seen_sequence = 0;
  std::int64_t cpu_seen_ns = 0;
};

constinit thread_local watched_thread self [[gnu::tls_model("initial-exec")]];

std::int64_t clock_ns(clockid_t which) {
  timespec time = {};
  clock_gettime(which, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

std::int64_t ns_of(std::chrono::steady_clock::time_point time) {
  const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
  return std::max<std::int64_t>(since.count(), 1);
}

// --- signals: nothing but loads, stores and the interrupted context

// Never destroyed, since threads end when they like.
struct installed {
  struct sigaction before[2];
};
constinit installed handlers{};
constexpr int fault_signals[] = {SIGSEGV, SIGBUS};

void redirect(ucontext_t& to, wasm_frame& frame, landing how) {
  auto& registers = to.uc_mcontext.gregs;
  frame.pc = static_cast<std::uintptr_t>(registers[REG_RIP]);
  registers[REG_RDI] = reinterpret_cast<greg_t>(&frame);
  registers[REG_RSI] = static_cast<greg_t>(how);
  registers[REG_RSP] = reinterpret_cast<greg_t>(frame.sp);
  registers[REG_RIP] = reinterpret_cast<greg_t>(&bulkhead_wasm_land);
}

bool runs_guest(const ucontext_t& context, const wasm_frame* frame) {
  const auto pc = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  return frame && frame->text_begin <= pc && pc < frame->text_end;
}

extern "C" void bulkhead_wasm_on_kick(int, siginfo_t*, void* context) {
  auto* frame = bulkhead_wasm_top;
  if (!frame || self.kicked_sequence.load() != self.sequence.load()) return;
  auto& at = *static_cast<ucontext_t*>(context);
  if (runs_guest(at, frame))
    redirect(at, *frame, landing::deadline);
  else
    self.is_pending.store(true);
}

extern "C" void bulkhead_wasm_on_fault(int number, siginfo_t* info, void* context) {
  auto& at = *static_cast<ucontext_t*>(context);
  auto* frame = bulkhead_wasm_top;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (info->si_code > 0 && info->si_code != SI_KERNEL && runs_guest(at, frame)) {
    frame->address = address;
    if (frame->memory_begin <= address && address < frame->memory_end)
      return redirect(at, *frame, landing::out_of_bounds);
    if (frame->guard_begin <= address && address < frame->guard_end)
      return redirect(at, *frame, landing::exhaustion);
  }
  // Not a guest's, or its escape. The fault comes again when this returns and finds the handler
  // that was there before; a signal that was sent does not, unless it is sent again.
  sigaction(number, &handlers.before[number == SIGSEGV ? 0 : 1], nullptr);
  if (info->si_code <= 0) syscall(SYS_tgkill, getpid(), gettid(), number);
}

void install(int number, void (*handler)(int, siginfo_t*, void*), struct sigaction* before) {
  struct sigaction now = {}, there = {};
  if (sigaction(number, nullptr, &there) != 0)
    throw std::system_error(errno, std::generic_category(), "sigaction");
  if ((there.sa_flags & SA_SIGINFO) != 0 && there.sa_sigaction == handler) return;
  if (before) *before = there;
  now.sa_sigaction = handler;
  // One that comes late should not disturb the server's calls; a sleep it ends all the same.
  now.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&now.sa_mask);
  sigaction(number, &now, nullptr);
}

// --- threads

std::mutex list_mutex;
std::vector<watched_thread*>& listed() {
  static auto* all = new std::vector<watched_thread*>;
  return *all;
}

// As long as the thread lives.
struct membership {
  membership() {
    self.tid = gettid();
    pthread_getcpuclockid(pthread_self(), &self.cpu_clock);
    sigset_t kick;
    sigemptyset(&kick);
    sigaddset(&kick, kick_signal());
    pthread_sigmask(SIG_UNBLOCK, &kick, nullptr);
    const std::lock_guard guard(list_mutex);
    listed().push_back(&self);
    self.is_listed = true;
  }
  ~membership() {
    const std::lock_guard guard(list_mutex);
    std::erase(listed(), &self);
    self.is_listed = false;
  }
  membership(const membership&) = delete;
  membership& operator=(const membership&) = delete;

  const alternate_stack for_signals;
};

void join_list() {
  static thread_local const membership here;
}

// --- the watchdog

class watchdog {
 public:
  watchdog() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_setname_np(thread_.native_handle(), "wasm-watchdog");
  }
  ~watchdog() {
    is_stopping_.store(true);
    wake();
    thread_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

  static void notice_call() {
    if (is_asleep.load() != 0) wake();
  }

 private:
  static void wake() {
    is_asleep.store(0);
    syscall(SYS_futex, &is_asleep, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }

  void run() {
    unsigned idle_ticks = 0;
    while (!is_stopping_.load()) {
      idle_ticks = look() ? 0 : idle_ticks + 1;
      if (idle_ticks < idle_ticks_max) {
        std::this_thread::sleep_for(tick);
        continue;
      }
      idle_ticks = 0;
      is_asleep.store(1);
      // Who called before it saw that; and who stopped.
      if (look() || is_stopping_.load()) {
        is_asleep.store(0);
        continue;
      }
      syscall(SYS_futex, &is_asleep, FUTEX_WAIT_PRIVATE, 1, nullptr, nullptr, 0);
      is_asleep.store(0);
    }
  }

  // Whether anybody called since the last look.
  bool look() {
    const auto now = clock_ns(CLOCK_MONOTONIC);
    bool called = false;
    const std::lock_guard guard(list_mutex);
    for (auto* one : listed()) called |= look_at(*one, now);
    return called;
  }

  static bool look_at(watched_thread& one, std::int64_t now) {
    const auto sequence = one.sequence.load();
    const auto deadline = one.deadline_ns.load();
    const bool is_new = sequence != one.seen_sequence;
    one.seen_sequence = sequence;
    if (deadline == 0) return is_new;
    const auto cpu = clock_ns(one.cpu_clock);
    if (is_new) one.cpu_seen_ns = cpu;
    const auto used = cpu - one.cpu_seen_ns;
    const auto cpu_max = one.cpu_max_ns.load();
    const bool is_late = now >= deadline || one.cut_sequence.load() == sequence;
    if ((is_late || used >= cpu_max) && one.sequence.load() == sequence) {
      one.cpu_used_ns.store(used);
      one.kicked_for.store(is_late ? budget_kind::wall : budget_kind::cpu);
      one.kicked_sequence.store(sequence);
      // The thread is still there: it leaves the list first, and that is locked.
      syscall(SYS_tgkill, getpid(), one.tid, kick_signal());
    }
    return true;
  }

  static inline constinit std::atomic<std::uint32_t> is_asleep{0};
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace

int kick_signal() {
  return SIGURG;
}

std::shared_ptr<void> hold_watchdog() {
  static std::mutex one_at_a_time;
  static std::weak_ptr<watchdog> there;
  const std::lock_guard guard(one_at_a_time);
  // Each time: somebody may have installed his own meanwhile.
  install(kick_signal(), bulkhead_wasm_on_kick, nullptr);
  for (int i = 0; i < 2; ++i)
    install(fault_signals[i], bulkhead_wasm_on_fault, &handlers.before[i]);
  auto held = there.lock();
  if (!held) there = held = std::make_shared<watchdog>();
  return held;
}

wasm_watch::wasm_watch(const budgets& all)
    : outer_deadline_(self.deadline_ns.load(std::memory_order_relaxed)),
      outer_cpu_max_(self.cpu_max_ns.load(std::memory_order_relaxed)),
      outer_cpu_began_(self.cpu_began_ns),
      outer_owner_(self.owner.load(std::memory_order_relaxed)) {
  if (!self.is_listed) join_list();
  // In this order: who reads the new sequence reads this deadline, none, or the next one.
  self.deadline_ns.store(0, std::memory_order_release);
  self.sequence.store(self.sequence.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  self.is_pending.store(false, std::memory_order_relaxed);
  self.cpu_max_ns.store(all.cpu_max.count(), std::memory_order_relaxed);
  self.owner.store(all.owner, std::memory_order_relaxed);
  if (all.counts_cpu) self.cpu_began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  self.deadline_ns.store(ns_of(all.deadline));
  watchdog::notice_call();
}

wasm_watch::~wasm_watch() {
  self.deadline_ns.store(0, std::memory_order_release);
  self.sequence.store(self.sequence.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  self.is_pending.store(false, std::memory_order_relaxed);
  if (outer_deadline_ == 0) return;
  self.cpu_began_ns = outer_cpu_began_;
  self.cpu_max_ns.store(outer_cpu_max_, std::memory_order_relaxed);
  self.owner.store(outer_owner_, std::memory_order_relaxed);
  self.deadline_ns.store(outer_deadline_);
}

void wasm_watch::cut(const void* owner) {
  const std::lock_guard guard(list_mutex);
  for (auto* one : listed()) {
    const auto sequence = one->sequence.load();
    if (one->deadline_ns.load() != 0 && one->owner.load() == owner)
      one->cut_sequence.store(sequence);
  }
}

bool wasm_watch::is_cut_off() {
  return self.is_pending.load(std::memory_order_relaxed) &&
         self.kicked_sequence.load() == self.sequence.load(std::memory_order_relaxed);
}

budget_kind wasm_watch::budget() const {
  return self.kicked_for.load();
}

std::chrono::nanoseconds wasm_watch::wall_left() {
  const auto left = self.deadline_ns.load(std::memory_order_relaxed) - clock_ns(CLOCK_MONOTONIC);
  return std::chrono::nanoseconds(std::max<std::int64_t>(left, 0));
}

std::chrono::nanoseconds wasm_watch::cpu_left() {
  const auto used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - self.cpu_began_ns;
  const auto left = self.cpu_max_ns.load(std::memory_order_relaxed) - used;
  return std::chrono::nanoseconds(std::max<std::int64_t>(left, 0));
}

std::chrono::nanoseconds wasm_watch::cpu() const {
  return std::chrono::nanoseconds(self.cpu_used_ns.load());
}

}  // namespace bulkhead::sandbox
