// The bound of a mailbox, and the credit of those who send to it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "actors/counter.hpp"

namespace bulkhead::actors {

// Counts what is queued for one receiver, which never exceeds the bound. Single
// threaded: a reactor's gate serves the actors of that reactor.
class gate {
 public:
  struct counters {
    counter attempts;    // calls of try_enter
    counter full;        // of these, refused
    counter retries;     // attempts that followed a refusal
    counter deliveries;  // taken by the receiver
  };

  explicit gate(std::size_t bound) : bound_(bound) {}

  // False: full; come back later, not at once.
  bool try_enter(bool is_retry);
  // The receiver has taken one.
  void leave();

  std::size_t queued() const { return queued_; }
  const counters& counted() const { return counters_; }

 private:
  std::size_t bound_;
  std::size_t queued_ = 0;
  counters counters_;
};

// One sender's right to have one completion on its way. It is sent once, waits
// while the gate is full, and is done when the receiver has acknowledged it.
class completion_credit {
 public:
  enum class state : std::uint8_t { unused, waiting, sent, acknowledged };

  // Tries to enter. True: the completion is the receiver's now. False: the gate is
  // full; try again after the retry interval. Only while unused or waiting.
  bool attempt(gate& to);
  // The receiver has it; false: nothing was on its way.
  bool acknowledge();

  state now() const { return state_; }

 private:
  state state_ = state::unused;
};

}  // namespace bulkhead::actors
