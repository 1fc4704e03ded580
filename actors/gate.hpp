// The bound of a mailbox, and the credit of those who send to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "actors/counter.hpp"

namespace bulkhead::actors {

class completion_credit;

// Counts what is queued for one receiver, which never exceeds the bound. Who was
// refused first enters first: a place that falls free is kept for it until it comes
// back, so that many who retry don't make a few wait for ever. Single threaded: a
// reactor's gate serves the actors of that reactor.
class gate {
 public:
  struct counters {
    counter attempts;
    counter full;        // of these, refused
    counter retries;     // attempts that followed a refusal
    counter deliveries;  // taken by the receiver
  };

  explicit gate(std::size_t bound) : bound_(bound) {}

  // The receiver has taken one.
  void leave();

  std::size_t queued() const { return queued_; }
  std::size_t waiting() const { return waiting_.size(); }
  const counters& counted() const { return counters_; }

 private:
  friend class completion_credit;

  bool try_enter(const completion_credit& one, bool is_retry);
  void forget(const completion_credit& one);

  std::size_t bound_;
  std::size_t queued_ = 0;
  std::deque<const completion_credit*> waiting_;  // the longest waiting first
  counters counters_;
};

// One sender's right to have one completion on its way. It is sent once, waits
// while the gate is full, and is done when the receiver has acknowledged it. One
// that goes away while it waits owes nothing.
class completion_credit {
 public:
  enum class state : std::uint8_t { unused, waiting, sent, acknowledged };

  completion_credit() = default;
  ~completion_credit();
  completion_credit(const completion_credit&) = delete;
  completion_credit& operator=(const completion_credit&) = delete;

  // Tries to enter. True: the completion is the receiver's now. False: the gate is
  // full; try again after the retry interval, with the same gate, which must live as
  // long as this waits. Only while unused or waiting.
  bool attempt(gate& to);
  // The receiver has it; false: nothing was on its way.
  bool acknowledge();

  state now() const { return state_; }

 private:
  gate* waits_for_ = nullptr;
  state state_ = state::unused;
};

}  // namespace bulkhead::actors
