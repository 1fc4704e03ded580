// Every deadline bites in its own state and in no other.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

TEST_CASE("server answers 408 when a head is not complete at its deadline", "[server][B065]") {
  auto settings = on_loopback();
  settings.deadlines.head = 150ms;
  served s(settings);
  client c(s.start());
  c.send("GET /hello HTTP/1.1\r\n");
  // Dripping bytes must not extend it.
  std::thread drip([&] {
    for (int i = 0; i < 100 && c.send("X: y\r\n"); ++i) std::this_thread::sleep_for(10ms);
  });
  client& reader = c;
  const auto answer = reader.answer();
  CHECK(status_of(answer) == 408);
  CHECK_THAT(answer, Catch::Contains("Connection: close"));
  drip.join();
}

TEST_CASE("server closes an idle connection at its deadline without a word", "[server][B064]") {
  auto settings = on_loopback();
  settings.deadlines.idle = 150ms;
  settings.deadlines.first_byte = 150ms;
  served s(settings);
  const auto address = s.start();
  client silent(address);
  client served_once(address);
  CHECK(content_of(served_once.ask(get("/hello"))) == "hello");
  CHECK(silent.ends_within(5s));
  CHECK(served_once.ends_within(5s));
  CHECK_FALSE(served_once.was_reset());
}

TEST_CASE("server does not cut a slow handler or slow content by other deadlines",
          "[server][B067][B070]") {
  auto settings = on_loopback();
  settings.deadlines.idle = 60ms;
  settings.deadlines.head = 60ms;
  served s(settings);
  s->get("/slow", [](const request&) {
    std::this_thread::sleep_for(300ms);
    return response::text("late");
  });
  const auto address = s.start();
  client handler_is_slow(address);
  handler_is_slow.send(get("/slow"));
  client content_is_slow(address);
  content_is_slow.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nab");
  std::this_thread::sleep_for(200ms);
  CHECK(content_of(content_is_slow.ask("cd")) == "abcd");
  CHECK(content_of(handler_is_slow.answer()) == "late");
}

TEST_CASE("server ends its reading from a refused client at the linger deadline", "[server]") {
  auto settings = on_loopback();
  settings.deadlines.linger = 100ms;
  served s(settings);
  client c(s.start());
  CHECK(status_of(c.ask("nonsense\r\n\r\n")) == 400);
  wait_until([&] { return s->stats().sessions == 0; });
}

TEST_CASE("server answers 503 at the handler's deadline and drops what comes late",
          "[server][B071][handover]") {
  auto settings = on_loopback();
  settings.deadlines.handler = 100ms;
  std::atomic<bool> told{false};
  std::atomic<bool> let_go{false};
  served s(settings);
  s->get("/stuck", [&](const request& r) {
    while (!let_go) {
      std::this_thread::sleep_for(1ms);
      told = told || r.cancelled();
    }
    return response::text("too late");
  });
  const auto address = s.start();
  client c(address);
  c.send(get("/stuck") + get("/hello"));
  const auto answer = c.answer();
  CHECK(status_of(answer) == 503);
  CHECK_THAT(answer, Catch::Contains("Connection: close"));
  CHECK(c.rest().empty());
  wait_until([&] { return told.load(); });
  // The session, and its place, last until the handler has returned.
  CHECK(s->stats().sessions == 1);
  let_go = true;
  wait_until([&] { return s->stats().sessions == 0; });
  CHECK(s.count(reason::handler_timeout) == 1);
}

TEST_CASE("server resets a client that takes nothing more at the write stall deadline",
          "[server][B080]") {
  auto settings = on_loopback();
  settings.deadlines.write_stall = 600ms;
  served s(settings);
  s->get("/large", [](const request&) { return response::bytes(std::string(30'000'000, 'x')); });
  const auto address = s.start();
  client stalled(address);
  stalled.send(get("/large"));
  {
    // A slow reader is none that stalls.
    client slow(address);
    slow.send(get("/large"));
    std::size_t got = 0;
    while (got < 24'000'000) {
      const auto piece = slow.rest(3'000'000).size();
      REQUIRE(piece > 0);
      got += piece;
      std::this_thread::sleep_for(30ms);
    }
  }
  wait_until([&] { return s.count(reason::write_stall) == 1; });
  stalled.rest();
  CHECK(stalled.was_reset());
}

TEST_CASE("server answers 408 for content that is late or too slow", "[server][B068]") {
  auto settings = on_loopback();
  settings.deadlines.content = 150ms;
  served s(settings);
  client c(s.start());
  c.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n");
  client& reader = c;
  std::thread drip([&] {
    for (int i = 0; i < 100 && c.send("x"); ++i) std::this_thread::sleep_for(10ms);
  });
  const auto answer = reader.answer();
  CHECK(status_of(answer) == 408);
  CHECK_THAT(answer, Catch::Contains("Connection: close"));
  drip.join();
  CHECK(s.count(reason::content_timeout) == 1);
}

TEST_CASE("server gives each end its own reason", "[server][B041][B155]") {
  auto settings = on_loopback();
  settings.deadlines.head = 50ms;
  settings.deadlines.first_byte = 50ms;
  served s(settings);
  s->get("/throw", [](const request&) -> response { throw 42; });
  const auto address = s.start();
  client(address).ask("GET /hello HTTP/1.1\r\n");
  client(address).ask("nonsense\r\n\r\n");
  client(address).ask("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: x\r\n\r\n");
  client(address).ask(get("/" + std::string(9000, 'a')));
  client(address).ask(get("/throw"));
  client(address).ask(get("/hello"));
  client half(address);
  half.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nab");
  half.half_close();
  half.rest();
  client silent(address);
  CHECK(silent.ends_within(5s));
  for (const auto why :
       {reason::head_timeout, reason::bad_head, reason::bad_framing, reason::too_large,
        reason::exception, reason::served, reason::incomplete, reason::first_byte_timeout}) {
    INFO(name_of(why));
    wait_until([&] { return s.count(why) == 1; });
  }
}

namespace {

using deadline = std::chrono::milliseconds deadlines::*;

// A connection that is slow in every state but the one whose deadline is short. True: it was
// answered to its end.
bool is_served_with_short(deadline own) {
  auto settings = on_loopback();
  settings.deadlines.*own = 1s;
  served s(settings);
  const auto wait_unless = [&](deadline other) {
    if (own != other) std::this_thread::sleep_for(1500ms);
  };
  s->post("/slow", [&](const request& r) {
    wait_unless(&deadlines::handler);
    return response::bytes(std::string(r.content()) + std::string(8'000'000, 'x'));
  });
  client c(s.start());
  wait_unless(&deadlines::first_byte);
  c.send("POST /slow HTTP/1.1\r\n");
  wait_unless(&deadlines::head);
  c.send("Host: t\r\nContent-Length: 4\r\n\r\nab");
  wait_unless(&deadlines::content);
  // Reading the answer takes its time too: whoever must not be idle has asked before.
  const bool early = own == &deadlines::idle;
  c.send(early ? "cd" + get("/hello") : "cd");
  wait_unless(&deadlines::write_stall);
  const bool first = content_of(c.answer("POST")).size() == 8'000'004;
  if (!early) {
    wait_unless(&deadlines::idle);
    c.send(get("/hello"));
  }
  return first && content_of(c.answer()) == "hello";
}

}  // namespace

TEST_CASE("server cuts nothing by the deadline of another state", "[server][B065][B067][B070]") {
  const std::vector<std::pair<std::string, deadline>> all{{"first_byte", &deadlines::first_byte},
                                                          {"head", &deadlines::head},
                                                          {"content", &deadlines::content},
                                                          {"handler", &deadlines::handler},
                                                          {"write_stall", &deadlines::write_stall},
                                                          {"idle", &deadlines::idle},
                                                          {"linger", &deadlines::linger},
                                                          {"drain_grace", &deadlines::drain_grace},
                                                          {"drain", &deadlines::drain}};
  std::vector<std::future<bool>> served;
  for (const auto& [name, own] : all)
    served.push_back(std::async(std::launch::async, is_served_with_short, own));
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].first);
    CHECK(served[i].get());
  }
}
