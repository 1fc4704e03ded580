#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

#include "actors/runtime/timer_heap.hpp"

using namespace bulkhead::actors;
using namespace std::chrono_literals;

namespace {

// The heap never looks at the owner.
polled_actor& nobody() {
  static std::aligned_storage_t<8> storage;
  return reinterpret_cast<polled_actor&>(storage);
}

}  // namespace

TEST_CASE("timer_heap gives timers in the order in which they are due", "[actors][timers]") {
  timer_heap heap;
  std::deque<timer> timers;
  const time_point start{};
  for (int i = 0; i < 5; ++i) timers.emplace_back(nobody());
  heap.arm(timers[0], start + 30ms);
  heap.arm(timers[1], start + 10ms);
  heap.arm(timers[2], start + 20ms);
  CHECK(heap.next_due() == start + 10ms);
  CHECK(heap.pop_due(start + 9ms) == nullptr);
  CHECK(heap.pop_due(start + 10ms) == &timers[1]);
  CHECK_FALSE(timers[1].armed());
  CHECK(heap.pop_due(start + 40ms) == &timers[2]);
  CHECK(heap.pop_due(start + 40ms) == &timers[0]);
  CHECK(heap.pop_due(start + 40ms) == nullptr);
  CHECK(heap.next_due() == time_point::max());
}

TEST_CASE("timer_heap agrees with a sorted list under random arming and cancelling",
          "[actors][timers][B094]") {
  std::mt19937 random(20261130);
  timer_heap heap;
  std::deque<timer> timers;
  for (int i = 0; i < 64; ++i) timers.emplace_back(nobody());
  const time_point start{};
  for (int step = 0; step < 20'000; ++step) {
    auto& t = timers[random() % timers.size()];
    switch (random() % 4) {
      case 0:
        heap.cancel(t);
        break;
      case 1: {
        const auto now = start + std::chrono::milliseconds(random() % 1000);
        std::vector<timer*> armed;
        for (auto& other : timers)
          if (other.armed()) armed.push_back(&other);
        const auto first = std::ranges::min_element(armed, {}, &timer::due);
        const bool is_due = first != armed.end() && (*first)->due() <= now;
        const auto due = is_due ? (*first)->due() : time_point{};
        auto* popped = heap.pop_due(now);
        REQUIRE((popped != nullptr) == is_due);
        if (popped) {
          REQUIRE(popped->due() == due);
          REQUIRE_FALSE(popped->armed());
        }
        break;
      }
      default:
        heap.arm(t, start + std::chrono::milliseconds(random() % 1000));
    }
    const auto armed = std::ranges::count_if(timers, &timer::armed);
    REQUIRE(heap.size() == static_cast<std::size_t>(armed));
  }
}
