// The workers of one handler and the requests that wait for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/back_off.hpp"
#include "sandbox/outcome.hpp"
#include "sandbox/process/object.hpp"
#include "sandbox/process/settings.hpp"
#include "sandbox/process/worker.hpp"
#include "sandbox/process/zygote.hpp"

namespace bulkhead::sandbox {

struct completion {
  std::uint64_t ticket;
  outcome result;
};

// What a pool needs from its executor, which outlives it.
class pool_host {
 public:
  virtual std::uint32_t next_serial() = 0;
  virtual bool order(worker& who, const object& code) = 0;
  // The worker's descriptors, pidfd and doorbell, exist; or are about to be closed.
  virtual void watch(worker& who, class pool& owner) = 0;
  virtual void forget(worker& who) = 0;
  virtual void complete(completion done) = 0;

 protected:
  ~pool_host() = default;
};

// Passive: every call does what is due and returns. All outcomes go through pool_host::complete.
class pool {
 public:
  struct counts {
    std::size_t idle = 0, busy = 0, loading = 0, dying = 0, waiting = 0;
    std::uint64_t served = 0;    // answered, well or not
    std::uint64_t faults = 0;    // workers that crashed, were cut off, or broke the contract
    std::uint64_t recycled = 0;  // workers that were replaced for their age or size
    std::string load_failure;    // why the last one did not get ready; empty: it did
  };

  pool(handler_settings settings, std::shared_ptr<const object> code, pool_host& host);

  void start(std::uint64_t ticket, std::string_view blob, time_point now);
  // Whether it is ours. A request that runs goes on until its end or its deadline.
  bool cancel(std::uint64_t ticket);

  // Whether the serial is ours. `pidfd` empty and `pid` negative: it could not be made, `error`.
  bool on_report(std::uint32_t serial, pid_t pid, descriptor& pidfd, const std::string& error,
                 time_point now);
  void on_doorbell(worker& who, time_point now);
  void on_end(worker& who, time_point now);
  void on_time(time_point now);
  // The zygote died: who was ordered will not come.
  void on_zygote_end(time_point now);
  // No call of on_time() is needed before; time_point::max(): none.
  time_point next_time() const;

  // Ends everything: requests are `gone`. The pool may be destroyed once it is empty.
  void leave(time_point now);
  bool is_empty() const { return workers_.empty(); }
  // Waits for the end of all workers that were reported.
  void reap_all();

  const object& code() const { return *code_; }
  counts count() const;
  // Why the last worker did not get ready; empty: it did.
  const std::string& load_failure() const { return total_.load_failure; }

 private:
  struct waiting {
    std::uint64_t ticket;
    std::string blob;
    time_point began;
  };

  void fill(time_point now);
  worker* idle_worker();
  bool has_hope() const;
  std::size_t count_of(worker::phase one) const;
  void give(worker& who, std::uint64_t ticket, std::string_view blob, time_point began,
            time_point now);
  void give_next(time_point now);
  void deliver(worker& who, outcome result, time_point now);
  void refuse(std::uint64_t ticket, outcome_kind kind, std::string detail, time_point began,
              time_point now);
  void take_answer(worker& who, time_point now);
  void take_loaded(worker& who, time_point now);
  void end(worker& who);
  void cut_off(worker& who, budget_kind budget, time_point now);
  void look_after(worker& who, time_point now);
  void look_at_idle();
  void load_failed(std::string why, time_point now);
  void erase(worker& who);

  const handler_settings settings_;
  const std::shared_ptr<const object> code_;
  pool_host& host_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::deque<waiting> waiting_;
  back_off loading_;
  time_point look_at_{};
  bool is_leaving_ = false;
  counts total_;
};

}  // namespace bulkhead::sandbox
