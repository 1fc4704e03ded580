// Handlers that fail, and everybody else.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

TEST_CASE("server turns whatever a handler throws into a 500 and ends that session",
          "[server][B101][B112]") {
  served s;
  s->get("/throw", [](const request&) -> response { throw std::runtime_error("no\r\nsuch luck"); });
  s->get("/throw-int", [](const request&) -> response { throw 42; });
  const auto address = s.start();
  for (const auto* path : {"/throw", "/throw-int"}) {
    client c(address);
    const auto answer = c.ask(get(path) + get("/hello"));
    CHECK(status_of(answer) == 500);
    CHECK_THAT(answer, Catch::Contains("Connection: close"));
    CHECK_THAT(answer, Catch::Contains("request id "));
    CHECK(c.rest().empty());
    CHECK_FALSE(c.was_reset());
  }
  wait_until([&] { return s->stats().sessions_ended == 2; });
  CHECK(s->stats().handler_exceptions == 2);
}

TEST_CASE("server keeps 500 healthy connections beside 500 that throw",
          "[server][containment][B103]") {
  served s;
  s->get("/throw", [](const request&) -> response { throw 42; });
  const auto address = s.start();
  std::vector<client> healthy;
  std::vector<client> throwing;
  for (int i = 0; i < 500; ++i) {
    healthy.emplace_back(address);
    throwing.emplace_back(address);
  }
  for (int i = 0; i < 500; ++i) {
    throwing[static_cast<std::size_t>(i)].send(get("/throw"));
    healthy[static_cast<std::size_t>(i)].send(get("/hello"));
  }
  for (auto& c : throwing) {
    REQUIRE(status_of(c.answer()) == 500);
    REQUIRE(c.ends_within(5s));
  }
  for (auto& c : healthy) REQUIRE(content_of(c.answer()) == "hello");
  for (auto& c : healthy) REQUIRE(content_of(c.ask(get("/hello"))) == "hello");
  wait_until([&] { return s->stats().sessions_ended == 500; });
  const auto seen = s->stats();
  CHECK(seen.sessions_ended == 500);
  CHECK(seen.sessions == 500);
  CHECK(seen.handler_exceptions == 500);
  CHECK(seen.accepted == 1000);
  s->stop();
  CHECK(s->stats().sessions_ended == 1000);
  CHECK(s->stats().sessions == 0);
}

TEST_CASE("server lets a hook answer for an exception and survives the hook", "[server][B173]") {
  served s;
  s->get("/throw/{what}", [](const request&) -> response { throw std::runtime_error("reason"); });
  s->on_exception([](const request& r, std::exception_ptr thrown) {
    if (r.parameter("what") == "twice") throw std::runtime_error("hook");
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      return response::text(e.what(), 503);
    }
  });
  const auto address = s.start();
  client once(address);
  const auto answer = once.ask(get("/throw/once"));
  CHECK(status_of(answer) == 503);
  CHECK(content_of(answer) == "reason");
  CHECK_THAT(answer, Catch::Contains("Connection: close"));
  client twice(address);
  CHECK(status_of(twice.ask(get("/throw/twice"))) == 500);
}

TEST_CASE("server answers 500 for a response that can't be sent", "[server][B149]") {
  served s;
  s->get("/split", [](const request&) { return response().set("X", "a\r\nSet-Cookie: b"); });
  s->get("/204", [](const request&) { return response::text("content", 204); });
  const auto address = s.start();
  for (const auto* path : {"/split", "/204"}) {
    client c(address);
    const auto answer = c.ask(get(path));
    CHECK(status_of(answer) == 500);
    CHECK(answer.find("Set-Cookie") == std::string::npos);
    CHECK(c.ends_within(5s));
  }
}

TEST_CASE("server serves others while more handlers spin than there are reactors",
          "[server][handover][B115]") {
  std::atomic<bool> spin{true};
  std::atomic<int> spinning{0};
  served s;
  s->get("/spin", [&](const request&) {
    ++spinning;
    while (spin) {
    }
    return response::text("spun");
  });
  const auto address = s.start();
  client old_friend(address);
  CHECK(content_of(old_friend.ask(get("/hello"))) == "hello");
  std::vector<client> spinners;
  for (int i = 0; i < 6; ++i) {
    spinners.emplace_back(address);
    spinners.back().send(get("/spin") + get("/hello"));
  }
  wait_until([&] { return spinning == 6; });
  for (int i = 0; i < 50; ++i) {
    REQUIRE(content_of(old_friend.ask(get("/hello"))) == "hello");
    client fresh(address);
    REQUIRE(content_of(fresh.ask(get("/hello"))) == "hello");
  }
  CHECK(s->stats().handovers >= 6);
  spin = false;
  for (auto& c : spinners) {
    CHECK(content_of(c.answer()) == "spun");
    CHECK(content_of(c.answer()) == "hello");
  }
}

TEST_CASE("server stands sessions that come and go and throw and spin from several threads",
          "[server][handover][stress]") {
  served s;
  s->get("/spin", [](const request&) {
    const auto end = std::chrono::steady_clock::now() + 25ms;
    while (std::chrono::steady_clock::now() < end) {
    }
    return response::text("spun");
  });
  s->get("/throw", [](const request&) -> response { throw 42; });
  s->get("/stream", [](const request&) {
    return response::text("").set_source([left = 3](std::string& piece) mutable {
      std::this_thread::sleep_for(8ms);
      piece = "piece";
      return --left > 0;
    });
  });
  const auto address = s.start();
  std::atomic<int> wrong{0};
  std::vector<std::thread> clients;
  for (unsigned t = 0; t < 4; ++t)
    clients.emplace_back([&, t] {
      for (unsigned i = 0; i < 60; ++i) {
        client c(address);
        switch ((i + t) % 6) {
          case 0:
            wrong += content_of(c.ask(get("/spin"))) != "spun";
            break;
          case 1:
            wrong += status_of(c.ask(get("/throw"))) != 500;
            break;
          case 2:
            c.send("GET /hello HT");
            break;
          case 3:
            c.send(get("/spin"));
            break;
          case 4:
            wrong += status_of(c.ask(get("/stream"))) != 200;
            break;
          default:
            wrong += content_of(c.ask(get("/hello"))) != "hello";
        }
        if (i % 3 == 0) c.reset();
      }
    });
  for (auto& t : clients) t.join();
  CHECK(wrong == 0);
  wait_until([&] { return s->stats().sessions == 0; });
  wait_until([&] { return s->stats().sessions_ended == 240; });
  CHECK(s->stats().accepted == 240);
}

TEST_CASE("server forgets sessions that are reset at any stage", "[server]") {
  served s;
  s->get("/large", [](const request&) { return response::bytes(std::string(5'000'000, 'x')); });
  const auto address = s.start();
  const std::vector<std::string> stages = {"GET", "GET /hello HTTP/1.1\r\nHost: t\r\n",
                                           "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: "
                                           "100000\r\n\r\nabc",
                                           get("/large"), get("/hello")};
  for (int round = 0; round < 50; ++round)
    for (const auto& bytes : stages) {
      client c(address);
      c.send(bytes);
      if (round % 2 == 0 && bytes == stages.back()) c.answer();
      c.reset();
    }
  wait_until([&] { return s->stats().sessions_ended == 50 * stages.size(); });
  CHECK(s->stats().sessions == 0);
  client c(address);
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
}

TEST_CASE("server tells a handler that its client has gone and runs none for a client gone before",
          "[server][B146][B076][B107]") {
  std::atomic<int> runs{0};
  std::atomic<bool> told{false};
  served s;
  s->get("/wait", [&](const request& r) {
    ++runs;
    for (int i = 0; i < 5000 && !r.cancelled(); ++i) std::this_thread::sleep_for(1ms);
    told = r.cancelled();
    return response::text("nobody reads this");
  });
  const auto address = s.start();
  {
    client leaves(address);
    leaves.send(get("/wait") + get("/wait"));
    wait_until([&] { return runs == 1; });
    leaves.reset();
  }
  wait_until([&] { return told.load(); });
  wait_until([&] { return s->stats().sessions == 0; });
  CHECK(runs == 1);
  CHECK(s.count(reason::peer_reset) + s.count(reason::served) == 2);
}

TEST_CASE("server takes a half-close for no departure", "[server][B146]") {
  std::atomic<bool> told{false};
  served s;
  s->get("/slow", [&](const request& r) {
    for (int i = 0; i < 100; ++i) {
      std::this_thread::sleep_for(1ms);
      told = told || r.cancelled();
    }
    return response::text("late");
  });
  client c(s.start());
  c.send(get("/slow"));
  c.half_close();
  CHECK(content_of(c.answer()) == "late");
  CHECK_FALSE(told);
}

TEST_CASE("server sends the answers before a stuck handler without waiting for it",
          "[server][handover]") {
  std::atomic<bool> go_on{false};
  served s;
  s->get("/stuck", [&](const request&) {
    while (!go_on) std::this_thread::sleep_for(1ms);
    return response::text("at last");
  });
  client c(s.start());
  c.send(get("/hello") + get("/stuck") + get("/hello"));
  CHECK(content_of(c.answer()) == "hello");
  go_on = true;
  CHECK(content_of(c.answer()) == "at last");
  CHECK(content_of(c.answer()) == "hello");
}
