// Keeps requests from a handler that fails again and again.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace bulkhead::actors {

// Closed: everything passes, and faults are counted over a window. Open: nothing passes. When it
// has been open long enough, one request is the probe: its fault opens it again, an answer closes
// it. Safe from any thread; with a lock, for a request to a sandbox costs microseconds anyway.
class circuit_breaker {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  struct rule {
    unsigned faults;  // that open it, if they are at least half of all; 0: never
    std::chrono::milliseconds window;
    std::chrono::milliseconds open;
  };
  enum class state : std::uint8_t { closed, open, probing };
  enum class pass : std::uint8_t { refused, ordinary, probe };
  enum class ending : std::uint8_t {
    answer,
    fault,
    nothing,  // that told of the handler: the client left, there was no place
  };

  explicit circuit_breaker(rule how) : rule_(how) {}

  // Whether a request may start. One that may must end by settle(), once.
  pass admit(time_point now);
  void settle(pass one, ending how, time_point now);

  state now(time_point now) const;
  // How long it stays open; zero unless it is.
  std::chrono::milliseconds open_for(time_point now) const;
  std::uint64_t times_opened() const;

 private:
  static constexpr std::size_t slot_count =
      10;  // of the window: a tenth of it is forgotten at once
  struct slot {
    std::int64_t number = 0;  // which tenth since the clock's beginning
    std::uint64_t ended = 0;
    std::uint64_t faults = 0;
  };

  void open(time_point now);
  void add(bool was_fault, time_point now);

  const rule rule_;
  mutable std::mutex mutex_;
  std::array<slot, slot_count> slots_{};
  time_point open_until_{};
  bool is_open_ = false;
  bool probe_is_out_ = false;
  std::uint64_t times_opened_ = 0;
};

}  // namespace bulkhead::actors
