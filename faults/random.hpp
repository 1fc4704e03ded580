// Numbers from a seed, the same on every machine: the distributions of the standard library are
// not.
#pragma once

#include <cstdint>

namespace bulkhead::faults {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }
  // Less than `bound`, which is not 0. Biased by less than bound / 2^64.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  std::uint64_t between(std::uint64_t lowest, std::uint64_t highest) {
    return lowest + below(highest - lowest + 1);
  }

 private:
  std::uint64_t state_;
};

}  // namespace bulkhead::faults
