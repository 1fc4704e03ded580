// Handlers in sandboxed processes: the way in. What it contains: sandbox/README.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sandbox/layers.hpp"
#include "sandbox/outcome.hpp"
#include "sandbox/process/pool.hpp"
#include "sandbox/process/settings.hpp"
#include "sandbox/process/zygote.hpp"

namespace bulkhead::sandbox {

// Who polls on behalf of an executor; outlives it.
class watcher {
 public:
  // From now on call on_readable(fd) when it is: level- or edge-triggered, both will do.
  virtual void watch(int fd) = 0;
  // No longer; it is closed right afterwards. An event that is already under way does no harm.
  virtual void forget(int fd) = 0;

 protected:
  ~watcher() = default;
};

// A zygote and a pool of workers for each handler.
//
// No thread, no timer, no signal handler of its own, and nothing waits (but see ~process_executor
// and start): it is driven by a loop that polls its descriptors and calls on_time(). One thread at
// a time. The processes are children of the thread that calls start() and are killed when it ends,
// so it should be the one that drives it, or the main thread. Who ignores SIGCHLD or waits for any
// child loses only how they ended.
//
// What guests and the system cause are outcomes; std::bad_alloc is the only exception.
class process_executor final : private pool_host {
 public:
  struct started;
  // Starts the zygote and waits for it, some milliseconds, at most ten seconds.
  static started start(process_settings settings, watcher& descriptors);
  process_executor(const process_executor&) = delete;
  process_executor& operator=(const process_executor&) = delete;
  // Kills every worker, waits for their end, and forgets all descriptors. Requests that have no
  // outcome yet get none.
  ~process_executor();

  // To be logged at start.
  layers held() const { return held_; }
  layers missing() const { return layers::all().without(held_); }

  // --- handlers

  using handler_id = std::uint32_t;
  struct added {
    handler_id value = 0;  // 0: refused
    std::string error;     // names the setting or the file
  };
  // Workers begin to load; whether they can is seen in count() and in the first outcomes.
  added add(handler_settings settings, time_point now);
  // Its requests are `gone`, its processes killed.
  void remove(handler_id which, time_point now);
  // Empty for one that is not there.
  pool::counts count(handler_id which) const;
  // counts::load_failure alone; valid until the next call.
  std::string_view load_failure(handler_id which) const;

  // --- requests

  using ticket = std::uint64_t;
  // A blob as blob_writer makes it; copied. Exactly one completion will come, maybe already has.
  ticket start(handler_id which, std::string_view blob, time_point now);
  // Nobody waits any more: no completion will come, unless it already has. What waits is dropped,
  // what runs goes on until its end or deadline.
  void cancel(ticket which);
  // The next completion, in the order in which they came; false: none now. Ask after every call of
  // start(), remove(), on_readable() and on_time().
  bool next(completion& one);

  // --- what drives it

  // `now` is the time of the loop's turn.
  void on_readable(int fd, time_point now);
  void on_time(time_point now);
  // When to call on_time() at the latest; ask after every call. max(): no need.
  time_point next_time() const;

 private:
  struct target {
    pool* owner;
    worker* who;
  };

  process_executor(process_settings settings, watcher& descriptors)
      : settings_(std::move(settings)), descriptors_(descriptors) {}

  std::string first_hello();
  std::string check(layers held) const;
  void on_control(time_point now);
  void on_report(zygote::received& one, time_point now);
  void restart_zygote(time_point now);
  void drop_empty();
  template <class Do>
  void each_pool(const Do& what);

  std::uint32_t next_serial() override { return ++last_serial_; }
  bool order(worker& who, const object& code) override;
  void watch(worker& who, pool& owner) override;
  void forget(worker& who) override;
  void complete(completion done) override { done_.push_back(std::move(done)); }

  const process_settings settings_;
  watcher& descriptors_;
  zygote zygote_;
  layers held_;
  time_point zygote_retry_at_ = time_point::max();
  std::unordered_map<handler_id, std::unique_ptr<pool>> pools_;
  std::vector<std::unique_ptr<pool>> leaving_;
  std::unordered_map<int, target> by_descriptor_;
  std::deque<completion> done_;
  handler_id last_handler_ = 0;
  ticket last_ticket_ = 0;
  std::uint32_t last_serial_ = 0;
};

struct process_executor::started {
  std::unique_ptr<process_executor> value;
  std::string error;  // what is missing and required, or why the zygote does not start
};

}  // namespace bulkhead::sandbox
