// One request on its way through a guest: to the gate, into the sandbox, and back.
#pragma once

#include <optional>
#include <string>

#include "actors/circuit_breaker.hpp"
#include "actors/gate.hpp"
#include "actors/guest_host.hpp"

namespace bulkhead::actors {

// Lives on the home thread of its session. When it goes away before its end, what was begun is
// cancelled and what was taken is given back.
class guest_call final : private guest_waiter {
 public:
  // How often one who found the gate full tries again.
  static constexpr std::chrono::milliseconds retry{1};

  // `who` is woken when the outcome is there, and lives longer. Takes the blob.
  guest_call(guest_host& host, std::shared_ptr<guest> which, std::string blob, polled_actor& who);
  ~guest_call();
  guest_call(const guest_call&) = delete;
  guest_call& operator=(const guest_call&) = delete;

  // Does what can be done now. Whether it has come to its end, or wants a thread.
  bool advance(time_point now);
  // It tries again at the gate, so advance() is to be called after `retry`.
  bool is_at_gate() const { return !outcome_ && !ticket_ && !inside_; }
  // It runs on its caller's thread: call() is the next step, as user code; then it has come to its
  // end.
  bool wants_thread() const { return inside_ && !outcome_; }
  // On any thread. Throws std::bad_alloc.
  void call() { outcome_ = which_->on_thread()->call(blob_, began_); }
  // The wall budget of whoever waits is over.
  void cut();

  // Once, behind its end.
  sandbox::outcome take_outcome() { return std::move(*outcome_); }
  // Tells the breaker how it ended.
  void settle(circuit_breaker::ending how, time_point now);

 private:
  void on_outcome(sandbox::outcome&& how) override;
  void enter(time_point now);
  void end_without_start(sandbox::outcome_kind how, std::string detail);

  guest_host& host_;
  std::shared_ptr<guest> which_;
  polled_actor& who_;
  std::string blob_;
  circuit_breaker::pass pass_;
  time_point began_;
  completion_credit credit_;
  std::optional<guest_host::ticket> ticket_;
  bool inside_ = false;  // has one of the places of a guest on its caller's thread
  bool queued_ = false;  // waits for one
  std::optional<sandbox::outcome> outcome_;
};

}  // namespace bulkhead::actors
