// When each fault of a batch comes: everything from the seed, nothing from the clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "faults/scenario.hpp"

namespace bulkhead::faults {

struct injection {
  std::chrono::microseconds at;  // since the batch began
  std::size_t fault;             // index into scenario::faults
  std::uint64_t seed;            // of all that is random about it

  bool operator==(const injection&) const = default;
};

// By time. Those that stand all the time are not in it.
std::vector<injection> make_schedule(const std::vector<fault>& faults, std::uint64_t seed,
                                     unsigned batch, std::chrono::microseconds length);

}  // namespace bulkhead::faults
