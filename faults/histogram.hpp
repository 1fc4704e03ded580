// Counts of durations in log-linear buckets, as HdrHistogram has them: 64 of one width for each
// power of two, so that a quantile is at most 1/64 too high.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bulkhead::faults {

class histogram {
 public:
  // What is negative counts as 0.
  void add(std::chrono::nanoseconds value);
  void add(const histogram& other);

  std::uint64_t count() const { return count_; }
  std::chrono::nanoseconds max() const { return std::chrono::nanoseconds(max_); }
  // The highest value of the bucket that holds this share, 0 to 1, of all values; never above
  // max(). 0 when there is none.
  std::chrono::nanoseconds quantile(double share) const;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace bulkhead::faults
