#include "faults/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bulkhead::faults {
namespace {

constexpr unsigned linear_bits = 6;
constexpr std::uint64_t linear = 1u << linear_bits;

// Below `linear` a bucket a value; above, the highest bit chooses a row and the next six a column.
std::size_t bucket_of(std::uint64_t value) {
  if (value < linear) return static_cast<std::size_t>(value);
  const auto row = static_cast<unsigned>(std::bit_width(value)) - linear_bits - 1;
  return static_cast<std::size_t>(row * linear + (value >> row));
}

std::uint64_t highest_in(std::size_t bucket) {
  if (bucket < linear) return bucket;
  const auto row = static_cast<unsigned>(bucket / linear) - 1;
  return ((bucket - row * linear + 1) << row) - 1;
}

}  // namespace

void histogram::add(std::chrono::nanoseconds value) {
  const auto number = static_cast<std::uint64_t>(std::max<std::int64_t>(value.count(), 0));
  const auto bucket = bucket_of(number);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  ++count_;
  max_ = std::max(max_, number);
}

void histogram::add(const histogram& other) {
  if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

std::chrono::nanoseconds histogram::quantile(double share) const {
  const auto rank = std::max<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))), 1);
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    if ((so_far += buckets_[i]) >= rank)
      return std::chrono::nanoseconds(std::min(highest_in(i), max_));
  return max();
}

}  // namespace bulkhead::faults
