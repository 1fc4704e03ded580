#include "actors/circuit_breaker.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace bulkhead::actors;
using namespace std::chrono_literals;
using breaker = circuit_breaker;
using pass = breaker::pass;
using ending = breaker::ending;

namespace {

// A manual clock and a breaker under it.
struct bench_breaker {
  breaker one{{.faults = 4, .window = 1000ms, .open = 500ms}};
  breaker::time_point now{100s};

  pass admit() { return one.admit(now); }
  void request(ending how) { one.settle(admit(), how, now); }
  void requests(int count, ending how) {
    for (int i = 0; i < count; ++i) request(how);
  }
  breaker::state state() const { return one.now(now); }
};

}  // namespace

TEST_CASE("circuit breaker opens at so many faults that are half of all", "[breaker]") {
  bench_breaker b;
  b.requests(3, ending::fault);
  CHECK(b.state() == breaker::state::closed);
  b.request(ending::fault);
  CHECK(b.state() == breaker::state::open);
  CHECK(b.admit() == pass::refused);
  CHECK(b.one.open_for(b.now) == 500ms);
  CHECK(b.one.times_opened() == 1);
}

TEST_CASE("circuit breaker stays closed while most requests are answered", "[breaker]") {
  bench_breaker b;
  b.requests(100, ending::answer);
  b.requests(99, ending::fault);
  CHECK(b.state() == breaker::state::closed);
  b.request(ending::fault);
  CHECK(b.state() == breaker::state::open);
}

TEST_CASE("circuit breaker forgets what is older than its window", "[breaker]") {
  bench_breaker b;
  b.requests(3, ending::fault);
  b.now += 1001ms;
  b.requests(3, ending::fault);
  CHECK(b.state() == breaker::state::closed);
  b.now += 500ms;
  b.request(ending::fault);
  CHECK(b.state() == breaker::state::open);
}

TEST_CASE("circuit breaker does not count what tells nothing of the handler", "[breaker]") {
  bench_breaker b;
  b.requests(100, ending::nothing);
  CHECK(b.state() == breaker::state::closed);
}

TEST_CASE("circuit breaker that is open lets one probe through at a time", "[breaker]") {
  bench_breaker b;
  b.requests(4, ending::fault);
  b.now += 499ms;
  CHECK(b.admit() == pass::refused);
  b.now += 1ms;
  CHECK(b.state() == breaker::state::probing);
  const auto probe = b.admit();
  CHECK(probe == pass::probe);
  CHECK(b.admit() == pass::refused);

  SECTION("whose answer closes it") {
    b.one.settle(probe, ending::answer, b.now);
    CHECK(b.state() == breaker::state::closed);
    CHECK(b.admit() == pass::ordinary);
  }
  SECTION("whose fault opens it again") {
    b.one.settle(probe, ending::fault, b.now);
    CHECK(b.state() == breaker::state::open);
    CHECK(b.one.times_opened() == 2);
  }
  SECTION("and another one when that told nothing") {
    b.one.settle(probe, ending::nothing, b.now);
    CHECK(b.admit() == pass::probe);
  }
}

TEST_CASE("circuit breaker ignores the ends of requests from before it opened", "[breaker]") {
  bench_breaker b;
  const auto early = b.admit();
  b.requests(4, ending::fault);
  b.one.settle(early, ending::answer, b.now);
  CHECK(b.state() == breaker::state::open);
}

TEST_CASE("circuit breaker never opens without a number of faults", "[breaker]") {
  breaker b({.faults = 0, .window = 1s, .open = 1s});
  const breaker::time_point now{100s};
  for (int i = 0; i < 1000; ++i) b.settle(b.admit(now), ending::fault, now);
  CHECK(b.now(now) == breaker::state::closed);
}

TEST_CASE("circuit breaker under random schedules has at most one probe out", "[breaker]") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  bench_breaker b;
  std::vector<pass> out;
  for (int i = 0; i < 20'000; ++i) {
    b.now += std::chrono::milliseconds(random() % 20);
    if (random() % 2 == 0) {
      const auto one = b.admit();
      if (one != pass::refused) out.push_back(one);
    } else if (!out.empty()) {
      std::swap(out[random() % out.size()], out.back());
      b.one.settle(out.back(), static_cast<ending>(random() % 3), b.now);
      out.pop_back();
    }
    REQUIRE(std::count(out.begin(), out.end(), pass::probe) <= 1);
  }
  CHECK(b.one.times_opened() > 0);
}
