// Waiting for what another thread does, without asserting how long it takes.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

namespace bulkhead::tests {

// Looks every `interval` until `holds`; fails the test after 30 seconds.
template <class Predicate>
void wait_until(Predicate holds,
                std::chrono::milliseconds interval = std::chrono::milliseconds(2)) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    std::this_thread::sleep_for(interval);
  }
}

}  // namespace bulkhead::tests
