// The access log: every request, refusal and cut connection as one line.
//
//   bulkhead::access_log log({.path = "access.log"});
//   settings.access = log.sink();   // must not outlive the log
//   log.reopen();                   // after a rotation has renamed the file
//
// Reactors never wait for it: a record is formatted into one of a few bounded buffers,
// and a thread of its own writes them out. When the buffers are full, because a disk or
// a pipe is slow or broken, records are dropped, and a line says how many as soon as
// lines go out again. A line's place in the file is nearly that of its time; lines of
// different reactors may be a flush interval out of order.
//
// What peers can cause without being served (is_peers_doing()) is written up to
// `peer_faults_max` times a second; the rest of that second becomes one line that counts
// them by reason. What was served, and our own faults, are never left out so.
//
// The lines are described in access_format.hpp.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "actors/access_format.hpp"
#include "actors/access_record.hpp"
#include "actors/log_output.hpp"

namespace bulkhead {

struct access_log_settings {
  std::string path = "-";  // "-": standard output
  int descriptor = -1;     // when not negative, instead of the path; not closed
  log_format format = log_format::json;
  // Whether targets show their query: some carry secrets in it.
  bool queries = true;
  // What waits to be written, all together; the same again is being written.
  std::size_t buffer_bytes_max = std::size_t{4} << 20;
  unsigned peer_faults_max = 100;  // lines a second
  // How long a line may wait for company.
  std::chrono::milliseconds flush_interval{20};
  std::chrono::system_clock::time_point (*clock)() = std::chrono::system_clock::now;
};

class access_log {
 public:
  // Throws std::system_error that names the file.
  explicit access_log(access_log_settings settings);
  // Writes what is left; an output that takes nothing gets a second for it.
  ~access_log();
  access_log(const access_log&) = delete;
  access_log& operator=(const access_log&) = delete;

  // Any thread, several at once. Neither waits nor throws.
  void write(const access_record& record) noexcept;
  access_sink sink() {
    return [this](const access_record& record) { write(record); };
  }

  // What is written from now on goes to a file newly opened under the same name. Throws
  // std::system_error and keeps the old one. Any thread; not for signal handlers.
  void reopen();

  // Waits until all that was recorded before is written or given up; false: not in
  // that time.
  bool flush(std::chrono::milliseconds patience);

  // Since the start, for metrics. Each record is counted in exactly one.
  struct figures {
    std::uint64_t written = 0;
    std::uint64_t dropped = 0;     // no room, or the output failed
    std::uint64_t suppressed = 0;  // summarised
  };
  figures counts() const;

 private:
  using time_point = std::chrono::system_clock::time_point;

  // The buffers: more than the usual number of reactors, so that two seldom meet.
  static constexpr std::size_t stripe_count = 8;
  struct alignas(64) stripe {
    std::mutex mutex;
    std::string lines;
    std::uint64_t records = 0;
  };

  bool admits(reason why, time_point now);
  bool append(const access_record& record, time_point now) noexcept;
  bool append_to(stripe& buffer, const access_record& record, time_point now);
  void wake_soon();
  void wake_now();
  void wake() const;

  // The writer's thread.
  void run();
  void wait_for_work();
  bool wait_for_wake(int timeout_ms);
  void write_buffers();
  void write_buffer(stripe& buffer);
  void write_dropped();
  void write_suppressed(bool now_or_never);
  bool owes_a_line() const;

  const access_log_settings settings_;
  actors::log_output output_;
  actors::unique_fd wake_fd_;
  std::array<stripe, stripe_count> stripes_;
  std::atomic<bool> awake_{false};   // the writer will look at the buffers anyway
  std::atomic<bool> urgent_{false};  // it should not wait for more
  std::atomic<bool> stopping_{false};
  std::atomic<std::int64_t> give_up_at_ns_{0};  // steady clock; meaningful once stopping_

  // Of the current second: its number in the upper half, lines admitted in the lower.
  std::atomic<std::uint64_t> window_{0};
  std::array<std::atomic<std::uint64_t>, reason_count> suppressed_{};  // not yet told
  std::atomic<std::uint64_t> untold_drops_{0};
  std::atomic<std::uint64_t> written_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> suppressed_total_{0};

  std::mutex flush_mutex_;
  std::condition_variable flushed_;
  std::uint64_t flush_asked_ = 0;
  std::uint64_t flush_done_ = 0;

  // The writer's own.
  std::string batch_;
  std::int64_t summary_second_ = 0;

  std::thread writer_;  // last: it uses all of the above
};

}  // namespace bulkhead
