// What healthy clients met with, by batch and phase, and second by second.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "faults/histogram.hpp"

namespace bulkhead::faults {

// A request belongs to the phase in which it was due.
enum class phase : std::uint8_t { quiet, faults, settling };
inline constexpr std::size_t phase_count = 3;

enum class loop : std::uint8_t { closed, open };
inline constexpr std::size_t loop_count = 2;

enum class mishap : std::uint8_t { none, lost, wrong };

struct batch_latency {
  std::array<histogram, phase_count> of{};
};

struct second_of_run {
  histogram latency{};
  std::uint64_t mishaps = 0;
};

struct phase_begin {
  std::chrono::milliseconds at;  // since the run began
  phase in;
};

struct healthy_counts {
  std::uint64_t requests = 0;
  std::uint64_t lost = 0;       // no answer
  std::uint64_t wrong = 0;      // another answer
  std::uint64_t disturbed = 0;  // connections that the server ended
};

struct healthy_figures : healthy_counts {
  std::array<std::array<histogram, phase_count>, loop_count> latency{};
  std::vector<batch_latency> batches{};
  std::vector<second_of_run> seconds{};
  std::vector<phase_begin> phases{};
  std::vector<std::string> samples{};  // of mishaps, the first few
};

class recorder {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit recorder(time_point begin) : begin_(begin) {}

  // What is due from now on belongs there. From one thread.
  void enter(unsigned batch, phase next);

  struct place {
    unsigned batch;
    phase in;
  };
  place now() const;

  // `due`: when the request should have gone out; `what` says more of a mishap.
  void add(loop by, place where, time_point due, time_point answered, mishap how,
           const std::string& what);
  void add_disturbed(std::uint64_t connections);

  healthy_counts counts() const;
  std::chrono::nanoseconds quantile(unsigned batch, phase in, double share) const;
  // Everything, copied: once, at the end.
  healthy_figures figures() const;
  // Right answers in a row, all loops together, that were no slower than `limit`.
  std::uint64_t in_a_row(std::chrono::nanoseconds limit);

 private:
  const time_point begin_;
  std::atomic<std::uint32_t> place_ = 0;
  mutable std::mutex mutex_;
  healthy_figures figures_;
  std::chrono::nanoseconds row_limit_{0};
  std::uint64_t row_ = 0;
};

}  // namespace bulkhead::faults
