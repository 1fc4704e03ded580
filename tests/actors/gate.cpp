// Completions through a bounded gate, as a model under a manual clock.
#include "actors/gate.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <memory>
#include <random>
#include <vector>

using bulkhead::actors::completion_credit;
using bulkhead::actors::gate;

TEST_CASE("gate never holds more than its bound and counts what it refuses", "[actors][gate]") {
  gate g(2);
  std::array<completion_credit, 4> c;
  CHECK(c[0].attempt(g));
  CHECK(c[1].attempt(g));
  CHECK_FALSE(c[2].attempt(g));
  CHECK_FALSE(c[2].attempt(g));
  g.leave();
  CHECK(c[2].attempt(g));
  CHECK(g.queued() == 2);
  CHECK(g.counted().attempts.value() == 5);
  CHECK(g.counted().full.value() == 2);
  CHECK(g.counted().retries.value() == 2);
  CHECK(g.counted().deliveries.value() == 1);
}

TEST_CASE("gate keeps a free place for who was refused first", "[actors][gate]") {
  gate g(1);
  std::array<completion_credit, 4> c;
  CHECK(c[0].attempt(g));
  CHECK_FALSE(c[1].attempt(g));
  CHECK_FALSE(c[2].attempt(g));
  g.leave();
  CHECK_FALSE(c[3].attempt(g));
  CHECK_FALSE(c[2].attempt(g));
  CHECK(c[1].attempt(g));
  g.leave();
  CHECK(c[2].attempt(g));
  CHECK(g.waiting() == 1);
}

TEST_CASE("gate forgets who goes away while it waits", "[actors][gate]") {
  gate g(1);
  completion_credit first;
  completion_credit last;
  CHECK(first.attempt(g));
  {
    completion_credit dying;
    CHECK_FALSE(dying.attempt(g));
    CHECK_FALSE(last.attempt(g));
    g.leave();
    CHECK_FALSE(last.attempt(g));
  }
  CHECK(last.attempt(g));
  CHECK(g.waiting() == 0);
}

TEST_CASE("completion_credit is spent once and done when acknowledged", "[actors][gate]") {
  gate g(1);
  completion_credit first;
  completion_credit second;
  CHECK_FALSE(first.acknowledge());
  CHECK(first.attempt(g));
  CHECK_FALSE(first.attempt(g));
  CHECK_FALSE(second.attempt(g));
  CHECK(second.now() == completion_credit::state::waiting);
  CHECK_FALSE(second.acknowledge());
  CHECK(first.acknowledge());
  CHECK_FALSE(first.acknowledge());
  CHECK_FALSE(first.attempt(g));
  g.leave();
  CHECK(second.attempt(g));
}

// Senders end at random times, retry a tick later when the gate is full, and die
// in the middle now and then; the receiver takes a few a tick. Whatever the
// schedule: nothing lost, nothing doubled, never above the bound, at most one on
// the way a sender, and the gate empty in the end.
TEST_CASE("gate and credits lose and double nothing in random schedules", "[actors][gate]") {
  const auto seed = GENERATE(range(1u, 40u));
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const std::size_t bound = 1 + random() % 8;
  const std::size_t per_tick = 1 + random() % 4;
  gate g(bound);

  struct sender {
    std::unique_ptr<completion_credit> credit = std::make_unique<completion_credit>();
    std::uint64_t next_attempt = 0;  // tick
    bool dead = false;               // ended without a completion, or behind it
    int delivered = 0;
  };
  std::vector<sender> senders(300);
  for (auto& s : senders) s.next_attempt = random() % 50;
  std::deque<std::size_t> mailbox;
  std::vector<std::size_t> acknowledgements;

  for (std::uint64_t tick = 0; tick < 2000; ++tick) {
    for (std::size_t i = 0; i < senders.size(); ++i) {
      auto& s = senders[i];
      if (s.dead || s.next_attempt != tick) continue;
      if (random() % 50 == 0) {
        s.dead = true;  // killed while it waits: owes nothing
        s.credit.reset();
      } else if (s.credit->attempt(g)) {
        mailbox.push_back(i);
      } else {
        s.next_attempt = tick + 1;
      }
    }
    REQUIRE(g.queued() == mailbox.size());
    REQUIRE(g.queued() <= bound);
    for (std::size_t n = 0; n < per_tick && !mailbox.empty(); ++n) {
      g.leave();
      ++senders[mailbox.front()].delivered;
      acknowledgements.push_back(mailbox.front());
      mailbox.pop_front();
    }
    // Acknowledgements arrive late and in any order.
    while (!acknowledgements.empty() && random() % 3 != 0) {
      std::swap(acknowledgements.back(), acknowledgements[random() % acknowledgements.size()]);
      auto& s = senders[acknowledgements.back()];
      acknowledgements.pop_back();
      REQUIRE(s.credit->acknowledge());
      s.dead = true;
    }
  }
  for (const auto i : acknowledgements) {
    REQUIRE(senders[i].credit->acknowledge());
    senders[i].dead = true;
  }
  std::uint64_t delivered = 0;
  for (const auto& s : senders) {
    REQUIRE(s.dead);
    REQUIRE(s.delivered <= 1);
    REQUIRE((s.delivered == 1) ==
            (s.credit && s.credit->now() == completion_credit::state::acknowledged));
    delivered += static_cast<std::uint64_t>(s.delivered);
  }
  CHECK(g.queued() == 0);
  CHECK(g.waiting() == 0);
  const auto& counted = g.counted();
  CHECK(counted.deliveries.value() == delivered);
  CHECK(counted.attempts.value() == delivered + counted.full.value());
}
