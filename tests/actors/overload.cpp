// More than there is room for.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

TEST_CASE("server turns connections beyond its sessions away with a 503", "[server][B083]") {
  auto settings = on_loopback();
  settings.sessions_max = 3;
  served s(settings);
  const auto address = s.start();
  std::vector<client> admitted;
  for (int i = 0; i < 3; ++i) {
    admitted.emplace_back(address);
    REQUIRE(content_of(admitted.back().ask(get("/hello"))) == "hello");
  }
  client beyond(address);
  const auto answer = beyond.answer();
  CHECK(status_of(answer) == 503);
  CHECK_THAT(answer, Catch::Contains("Retry-After: "));
  CHECK(s->stats().sessions_refused == 1);
  admitted.pop_back();
  wait_until([&] { return s->stats().sessions == 2; });
  client again(address);
  CHECK(content_of(again.ask(get("/hello"))) == "hello");
}

TEST_CASE("server closes the largest holders when sessions hold too much", "[server][B080][shed]") {
  auto settings = on_loopback(1);
  settings.memory_bytes_max = 20'000'000;
  served s(settings);
  s->get("/large", [](const request& r) {
    return response::bytes(
        std::string(static_cast<std::size_t>(std::stoul(std::string(r.query()))), 'x'));
  });
  const auto address = s.start();
  client small(address);
  CHECK(content_of(small.ask(get("/hello"))) == "hello");
  std::vector<client> slow;
  for (const auto* bytes : {"9000000", "15000000", "9000000"}) {
    slow.emplace_back(address);
    slow.back().send(get("/large?" + std::string(bytes)));
    wait_until([&] { return s->stats().requests == slow.size() + 1; });
  }
  wait_until([&] { return s->stats().shed >= 1; });
  wait_until([&] { return s->stats().held_bytes <= settings.memory_bytes_max; });
  wait_until([&] { return s.count(reason::shed) >= 1; });
  // The one that held most is cut, visibly; the others get all of theirs.
  CHECK(content_of(slow[1].answer()).empty());
  CHECK(content_of(slow[2].answer()).size() == 9'000'000);
  CHECK(content_of(small.ask(get("/hello"))) == "hello");
}

TEST_CASE("server closes the largest holder on whichever reactor it is", "[server][B080][shed]") {
  auto settings = on_loopback(3);
  settings.memory_bytes_max = 80'000'000;
  served s(settings);
  s->get("/large", [](const request& r) {
    return response::bytes(
        std::string(static_cast<std::size_t>(std::stoul(std::string(r.query()))), 'x'));
  });
  const auto address = s.start();
  client greedy(address);
  greedy.send(get("/large?50000000"));
  wait_until([&] { return s->stats().requests == 1; });
  std::vector<client> modest;
  for (std::uint64_t i = 0; i < 6; ++i) {
    modest.emplace_back(address);
    modest.back().send(get("/large?9000000"));
    wait_until([&] { return s->stats().requests == i + 2; });
  }
  wait_until([&] { return s.count(reason::shed) == 1; });
  CHECK(content_of(greedy.answer()).empty());
  for (auto& each : modest) CHECK(content_of(each.answer()).size() == 9'000'000);
  CHECK(s.count(reason::shed) == 1);
}

TEST_CASE("server serves again after it was out of descriptors", "[server][B062]") {
  served s;
  const auto address = s.start();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  std::vector<client> open;
  for (int i = 0; i < 20; ++i) open.emplace_back(address);
  // Room for what is open now and no more.
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(::dup(0)) + 1;
  ::setrlimit(RLIMIT_NOFILE, &tight);
  std::vector<client> served_now;
  for (auto& c : open) c.send(get("/hello"));
  std::this_thread::sleep_for(200ms);
  ::setrlimit(RLIMIT_NOFILE, &before);
  client late(address);
  CHECK(content_of(late.ask(get("/hello"))) == "hello");
}

TEST_CASE("server survives connections that are reset as soon as they are made",
          "[server][B062][B089]") {
  served s;
  const auto address = s.start();
  for (int i = 0; i < 5000; ++i) client(address).reset();
  client c(address);
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
  wait_until([&] { return s->stats().sessions == 1; });
}

TEST_CASE("server grows by received bytes and not by announced ones", "[server][B095]") {
  served s;
  const auto address = s.start();
  std::vector<client> announcing;
  for (int i = 0; i < 100; ++i) {
    announcing.emplace_back(address);
    announcing.back().send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9000000\r\n\r\nx");
  }
  wait_until([&] { return s->stats().sessions == 100; });
  CHECK(s->stats().held_bytes < 100 * 40'000);
}

TEST_CASE("server delivers every completion once however many sessions end together",
          "[server][gate]") {
  served s(on_loopback(1));
  const auto address = s.start();
  {
    std::vector<client> all;
    for (int i = 0; i < 900; ++i) {
      all.emplace_back(address);
      REQUIRE(content_of(all.back().ask(get("/hello"))) == "hello");
    }
    CHECK(s->stats().sessions == 900);
  }
  wait_until([&] { return s->stats().sessions_ended == 900; });
  const auto seen = s->stats();
  CHECK(seen.sessions == 0);
  CHECK(seen.completion_deliveries == 900);
  CHECK(seen.completion_attempts == 900 + seen.completion_full);
}

TEST_CASE("server goes on when handlers cannot even start", "[server][B079]") {
  served s;
  s->get("/stillborn", [](const request&) -> response {
    const std::string never(std::string().max_size(), 'x');
    return response::text(never);
  });
  const auto address = s.start();
  client neighbour(address);
  CHECK(content_of(neighbour.ask(get("/hello"))) == "hello");
  for (int i = 0; i < 100; ++i) CHECK(status_of(client(address).ask(get("/stillborn"))) == 500);
  CHECK(content_of(neighbour.ask(get("/hello"))) == "hello");
  CHECK(s->stats().handler_exceptions == 100);
}
