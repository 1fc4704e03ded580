#include "actors/access_log.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <numeric>
#include <system_error>
#include <utility>

namespace bulkhead {

namespace {

using namespace std::chrono_literals;

constexpr auto last_words = 1s;
constexpr int retry_interval_ms = 1000;

std::int64_t second_of(std::chrono::system_clock::time_point now) {
  return std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
}

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Threads take the buffers in turn.
std::size_t thread_number() {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t own = next.fetch_add(1, std::memory_order_relaxed);
  return own;
}

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

actors::unique_fd new_eventfd() {
  actors::unique_fd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd) throw std::system_error(errno, std::generic_category(), "access log: eventfd");
  return fd;
}

}  // namespace

access_log::access_log(access_log_settings settings)
    : settings_(std::move(settings)),
      output_(settings_.descriptor >= 0 ? actors::log_output(settings_.descriptor)
                                        : actors::log_output(settings_.path)),
      wake_fd_(new_eventfd()) {
  // Signals are for the threads that wait for them; a pipe's SIGPIPE becomes an error.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  writer_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

access_log::~access_log() {
  give_up_at_ns_ = steady_ns() + std::chrono::nanoseconds(last_words).count();
  stopping_ = true;
  wake();
  writer_.join();
}

// --- any thread

void access_log::write(const access_record& record) noexcept {
  const auto now = settings_.clock();
  if (is_peers_doing(record.why) && !admits(record.why, now)) return wake_soon();
  if (!append(record, now)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    untold_drops_.fetch_add(1, std::memory_order_relaxed);
  }
  wake_soon();
}

bool access_log::admits(reason why, time_point now) {
  const auto second = static_cast<std::uint64_t>(second_of(now)) << 32;
  auto seen = window_.load(std::memory_order_relaxed);
  for (;;) {
    const auto begun = seen >> 32 == second >> 32 ? seen : second;
    if ((begun & 0xffff'ffff) >= settings_.peer_faults_max) break;
    if (window_.compare_exchange_weak(seen, begun + 1, std::memory_order_relaxed)) return true;
  }
  suppressed_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
  suppressed_total_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

// A buffer that somebody else holds is passed by and not waited for.
bool access_log::append(const access_record& record, time_point now) noexcept {
  const auto first = thread_number();
  for (std::size_t i = 0; i < stripe_count; ++i) {
    auto& buffer = stripes_[(first + i) % stripe_count];
    const std::unique_lock lock(buffer.mutex, std::try_to_lock);
    if (lock && append_to(buffer, record, now)) return true;
  }
  return false;
}

bool access_log::append_to(stripe& buffer, const access_record& record, time_point now) {
  const auto bytes_max = settings_.buffer_bytes_max / stripe_count;
  const auto before = buffer.lines.size();
  if (before >= bytes_max) return false;
  try {
    auto shown = record;
    if (!settings_.queries) shown.target = shown.target.substr(0, shown.target.find('?'));
    append_line(buffer.lines, settings_.format, shown, now);
  } catch (...) {  // memory
    buffer.lines.resize(before);
    return false;
  }
  ++buffer.records;
  if (before < bytes_max / 2 && buffer.lines.size() >= bytes_max / 2) wake_now();
  return true;
}

// The flag is cleared before the buffers are emptied: whoever finds it set has put its
// line where the writer will look.
void access_log::wake_soon() {
  if (!awake_.load(std::memory_order_relaxed) && !awake_.exchange(true)) wake();
}

void access_log::wake_now() {
  urgent_ = true;
  wake();
}

void access_log::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd_.get(), &one, sizeof one);
}

void access_log::reopen() {
  output_.reopen();
  wake();
}

bool access_log::flush(std::chrono::milliseconds patience) {
  std::unique_lock lock(flush_mutex_);
  const auto mine = ++flush_asked_;
  wake_now();
  return flushed_.wait_for(lock, patience, [&] { return flush_done_ >= mine; });
}

access_log::figures access_log::counts() const {
  return {written_.load(std::memory_order_relaxed), dropped_.load(std::memory_order_relaxed),
          suppressed_total_.load(std::memory_order_relaxed)};
}

// --- the writer's thread

void access_log::run() {
  for (bool last = false; !last;) {
    wait_for_work();
    last = stopping_;
    std::uint64_t asked = 0;
    {
      const std::lock_guard guard(flush_mutex_);
      asked = flush_asked_;
    }
    awake_ = false;
    urgent_ = false;
    write_buffers();
    write_suppressed(last);
    {
      const std::lock_guard guard(flush_mutex_);
      flush_done_ = asked;
    }
    flushed_.notify_all();
  }
}

// Returns with the wake-up taken and some company for the first line.
void access_log::wait_for_work() {
  if (stopping_) return;
  if (!wait_for_wake(owes_a_line() ? retry_interval_ms : -1)) return;
  if (!stopping_ && !urgent_) wait_for_wake(static_cast<int>(settings_.flush_interval.count()));
}

bool access_log::wait_for_wake(int timeout_ms) {
  pollfd waited{wake_fd_.get(), POLLIN, 0};
  ::poll(&waited, 1, timeout_ms);
  std::uint64_t count = 0;
  return ::read(wake_fd_.get(), &count, sizeof count) > 0;
}

void access_log::write_buffers() {
  for (auto& buffer : stripes_) write_buffer(buffer);
  write_dropped();
}

void access_log::write_buffer(stripe& buffer) {
  batch_.clear();
  std::uint64_t records = 0;
  {
    const std::lock_guard guard(buffer.mutex);
    batch_.swap(buffer.lines);
    records = std::exchange(buffer.records, 0);
  }
  if (records == 0) return;
  const auto done =
      output_.write(batch_, [this] { return stopping_ && steady_ns() > give_up_at_ns_.load(); });
  const auto whole = lines_in(std::string_view(batch_).substr(0, done));
  written_.fetch_add(whole, std::memory_order_relaxed);
  dropped_.fetch_add(records - whole, std::memory_order_relaxed);
  untold_drops_.fetch_add(records - whole, std::memory_order_relaxed);
}

void access_log::write_dropped() {
  const auto records = untold_drops_.exchange(0);
  if (records == 0) return;
  batch_.clear();
  append_dropped(batch_, settings_.format, records, settings_.clock());
  const auto done = output_.write(batch_, [this] { return stopping_.load(); });
  if (done < batch_.size()) untold_drops_.fetch_add(records);
}

// Once a second, so that a flood of peers' faults is a line a second.
void access_log::write_suppressed(bool now_or_never) {
  const auto now = settings_.clock();
  if (!now_or_never && second_of(now) == summary_second_) return;
  summary_second_ = second_of(now);
  reason_counts counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = suppressed_[i].exchange(0);
  if (std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == 0) return;
  batch_.clear();
  append_suppressed(batch_, settings_.format, counts, now);
  const auto done = output_.write(batch_, [this] { return stopping_.load(); });
  if (done == batch_.size()) return;
  for (std::size_t i = 0; i < counts.size(); ++i) suppressed_[i].fetch_add(counts[i]);
}

bool access_log::owes_a_line() const {
  return untold_drops_.load() > 0 ||
         std::any_of(suppressed_.begin(), suppressed_.end(),
                     [](const auto& count) { return count.load() > 0; });
}

}  // namespace bulkhead
