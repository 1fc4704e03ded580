#include "actors/runtime/reactor.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace bulkhead::actors {

namespace {

std::atomic<std::uint32_t> last_thread_id{0};
thread_local const std::uint32_t thread_id = ++last_thread_id;
thread_local bool lost = false;
thread_local bool runs_reactors = false;

}  // namespace

reactor::reactor(caf::actor_system& system, std::uint32_t index, clock& monitors)
    : caf::execution_unit(&system),
      index_(index),
      monitors_clock_(monitors),
      epoll_fd_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      now_(std::chrono::steady_clock::now()) {
  if (epoll_fd_ >= 0 && wake_fd_ >= 0 && watch(wake_fd_, *this, EPOLLIN)) return;
  const auto reason = errno;
  ::close(wake_fd_);
  ::close(epoll_fd_);
  throw std::system_error(reason, std::generic_category(), "cannot make an event loop");
}

reactor::~reactor() {
  ::close(wake_fd_);
  ::close(epoll_fd_);
}

bool reactor::watch(int fd, pollable& target, std::uint32_t events) {
  epoll_event event{};
  event.events = events | EPOLLET;
  event.data.ptr = &target;
  return ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0;
}

// ---------------------------------------------------------------- any thread

void reactor::push(caf::resumable* job) {
  {
    const std::lock_guard guard(queue_mutex_);
    queue_.push_back(job);
    queue_size_.store(queue_.size());
  }
  // Sequentially consistent, as in poll(): either we see it asleep, or it sees the job.
  if (sleeping_.load()) wake();
}

void reactor::exec_later(caf::resumable* job) {
  if (job->subtype() == caf::resumable::io_actor)
    static_cast<polled_actor*>(job)->post_adopted(work::mail);
  else
    push(job);
}

void reactor::request_stop() {
  stopping_.store(true);
  wake();
}

void reactor::wake() {
  const std::uint64_t one = 1;
  // It can only fail when the counter is full, and then the reactor wakes anyway.
  [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
}

// ------------------------------------------------------- the holding thread

// Whoever had the reactor before us lost it in the last call of user code. Its
// caller lives: when that thread comes back, it is queued here.
void reactor::take_over() {
  now_ = std::chrono::steady_clock::now();
  if (user_code_caller_) user_code_caller_->on_handover();
}

bool reactor::run_loop() {
  take_over();
  while (!stopping_.load(std::memory_order_relaxed)) {
    if (!deliver_events() || !run_jobs() || !fire_timers()) return false;
    drop_graveyard();
    poll();
  }
  return true;
}

bool reactor::deliver_events() {
  while (batch_next_ < batch_size_) {
    const auto event = batch_[batch_next_++];
    if (!static_cast<pollable*>(event.data.ptr)->on_events(event.events)) return false;
  }
  return true;
}

bool reactor::run_jobs() {
  for (unsigned i = 0; i < jobs_between_polls; ++i) {
    auto* job = pop();
    if (!job) return true;
    if (!run_job(job)) return false;
  }
  return true;
}

bool reactor::fire_timers() {
  while (auto* due = timers_.pop_due(now_))
    if (!due->owner().run(work::timeout)) return false;
  return true;
}

caf::resumable* reactor::pop() {
  if (queue_size_.load(std::memory_order_relaxed) == 0) return nullptr;
  const std::lock_guard guard(queue_mutex_);
  if (queue_.empty()) return nullptr;
  auto* job = queue_.front();
  queue_.pop_front();
  queue_size_.store(queue_.size(), std::memory_order_relaxed);
  return job;
}

bool reactor::run_job(caf::resumable* job) {
  if (job->subtype() == caf::resumable::io_actor) {
    const bool still_here = execute(*static_cast<polled_actor*>(job));
    intrusive_ptr_release(job);
    return still_here;
  }
  // Any other actor is somebody's code: it may lose us the reactor.
  caf::resumable::resume_result result{};
  const bool still_here =
      run_user_code(nullptr, [&] { result = job->resume(this, jobs_between_polls); });
  if (result == caf::resumable::resume_later)
    push(job);
  else
    intrusive_ptr_release(job);
  return still_here;
}

bool reactor::execute(polled_actor& actor) {
  switch (actor.resume(this, jobs_between_polls)) {
    case caf::resumable::resume_later: {
      const bool still_here = !lost_here();
      intrusive_ptr_add_ref(actor.ctrl());
      push(&actor);
      return still_here;
    }
    case caf::resumable::done:
      if (std::exchange(actor.keeps_itself_, false)) bury({actor.ctrl(), false});
      return true;
    default:
      return true;
  }
}

void reactor::bury(caf::strong_actor_ptr dead) {
  graveyard_.push_back(std::move(dead));
}

void reactor::drop_graveyard() {
  // Dropping an actor may bury another.
  while (!graveyard_.empty()) std::exchange(graveyard_, {}).clear();
}

bool reactor::on_events(std::uint32_t) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(wake_fd_, &count, sizeof count);
  return true;
}

void reactor::poll() {
  batch_next_ = batch_size_ = 0;
  sleeping_.store(true);
  // Both again, now that we count as asleep: their wake-up may have been read already.
  const bool busy = queue_size_.load() > 0 || stopping_.load();
  const int wait_ms = busy ? 0 : poll_timeout_ms();
  const int got = ::epoll_wait(epoll_fd_, batch_.data(), static_cast<int>(batch_max), wait_ms);
  sleeping_.store(false, std::memory_order_relaxed);
  if (got > 0) batch_size_ = static_cast<std::size_t>(got);
  now_ = std::chrono::steady_clock::now();
}

int reactor::poll_timeout_ms() const {
  const auto due = timers_.next_due();
  if (due == time_point::max()) return -1;
  // Rounded up: a timer must not be looked at before it is due.
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(due - std::chrono::steady_clock::now()).count();
  constexpr std::int64_t hour_ms = 3'600'000;
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, hour_ms));
}

// ----------------------------------------------------------------- user code

std::uint32_t reactor::publish() {
  tick_.store(tick_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  running_.store(thread_id, std::memory_order_release);
  monitors_clock_.rouse();
  return thread_id;
}

bool reactor::take_back(std::uint32_t me) {
  if (running_.compare_exchange_strong(me, 0, std::memory_order_acq_rel)) return true;
  lost = true;
  return false;
}

bool reactor::lost_here() {
  return lost;
}
bool reactor::on_reactor_thread() {
  return runs_reactors;
}

void reactor::hold_here() {
  runs_reactors = true;
  lost = false;
}

reactor::snapshot reactor::look() const {
  const auto running = running_.load(std::memory_order_acquire);
  return {running, tick_.load(std::memory_order_relaxed)};
}

bool reactor::retake(const snapshot& seen) {
  auto expected = seen.running;
  return running_.compare_exchange_strong(expected, 0, std::memory_order_acq_rel);
}

void reactor::clean_up() {
  while (auto* job = pop()) caf::scheduler::abstract_coordinator::cleanup_and_release(job);
  drop_graveyard();
}

}  // namespace bulkhead::actors
