#pragma once

#include <atomic>
#include <cstdint>

namespace bulkhead::actors {

// Written by one thread at a time, read by any: an ordinary addition, no locked
// instruction.
class counter {
 public:
  void add(std::uint64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace bulkhead::actors
