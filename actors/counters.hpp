// What one reactor counts. Written by the thread that holds the reactor, read by any:
// no counter is shared between reactors, sums are made when somebody asks. Completions
// are counted by their gate.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "actors/access_record.hpp"
#include "actors/counter.hpp"
#include "actors/reason.hpp"

namespace bulkhead::actors {

// Upper bounds of the buckets in microseconds, inclusive; one more holds the rest.
inline constexpr std::array<std::uint64_t, 16> duration_bounds_us{
    50,     100,    250,     500,     1'000,   2'500,     5'000,     10'000,
    25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};

class duration_histogram {
 public:
  static constexpr std::size_t bucket_count = duration_bounds_us.size() + 1;

  // Negative ones count as none at all.
  void observe(std::chrono::microseconds time) {
    const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
    const auto* const bound = std::lower_bound(
        duration_bounds_us.data(), duration_bounds_us.data() + duration_bounds_us.size(), us);
    buckets_[static_cast<std::size_t>(bound - duration_bounds_us.data())].add();
    sum_us_.add(us);
  }
  // How many fell into that bucket alone.
  std::uint64_t in_bucket(std::size_t index) const { return buckets_[index].value(); }
  std::uint64_t sum_us() const { return sum_us_.value(); }

 private:
  std::array<counter, bucket_count> buckets_;
  counter sum_us_;
};

struct reactor_counters {
  counter accepted;            // connections, refused ones included
  counter sessions_refused;    // connections beyond a bound
  counter sessions_ended;      // down messages received
  counter requests;            // handed to a handler
  counter requests_refused;    // malformed, too large or too slow
  counter handler_exceptions;  // ended in a 500
  duration_histogram handler_durations;

  // One for each access record: count() does it.
  std::array<counter, reason_count> ended_by_reason;
  std::array<counter, 6> answered_by_class;  // [2]: 2xx; [0]: no answer was sent
  counter bytes_received;                    // contents
  counter bytes_sent;

  void count(const access_record& record) {
    ended_by_reason[static_cast<std::size_t>(record.why)].add();
    const int hundreds = record.status / 100;
    answered_by_class[hundreds >= 1 && hundreds <= 5 ? static_cast<std::size_t>(hundreds) : 0]
        .add();
    bytes_received.add(record.bytes_received);
    bytes_sent.add(record.bytes_sent);
  }
};

}  // namespace bulkhead::actors
