// Start, stop, and everything in between.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "actors/process_figures.hpp"
#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

TEST_CASE("server starts and stops a thousand times with live sessions",
          "[server][lifecycle][B121]") {
  served s;
  for (int i = 0; i < 1000; ++i) {
    const auto address = s.start();
    client idle(address);
    client busy(address);
    if (i % 10 == 0) REQUIRE(content_of(busy.ask(get("/hello"))) == "hello");
    busy.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\nabc");
    s->stop();
    REQUIRE(s->stats().sessions == 0);
    REQUIRE(s->addresses().empty());
  }
}

TEST_CASE("server may be stopped at any time and any number of times", "[server][B122]") {
  served s;
  s->stop();
  const auto address = s.start();
  CHECK_THROWS_AS(s->start(), std::logic_error);
  CHECK_THROWS_AS(s->fallback({}), std::logic_error);
  served second([&] {
    auto settings = on_loopback();
    settings.listen = {address};
    return settings;
  }());
  CHECK_THROWS_AS(second.start(), std::system_error);
  CHECK_NOTHROW(second->stop());
  s->stop();
  s->stop();
  CHECK_NOTHROW(second.start());
}

TEST_CASE("server refuses calls at the wrong time by their names", "[server][B176]") {
  served s;
  s.start();
  const auto refused = [](const auto& call, const char* name) {
    CHECK_THROWS_WITH(call(),
                      Catch::StartsWith(name) && Catch::Contains(" after start(): call it "));
  };
  const auto answer = [](const request&) { return response::text(""); };
  refused([&] { s->get("/late", answer); }, "route('/late')");
  refused([&] { s->receive({"PUT"}, "/up", {}); }, "receive('/up')");
  refused([&] { s->fallback(answer); }, "fallback()");
  refused([&] { s->on_access({}); }, "on_access()");
  refused([&] { s->on_exception({}); }, "on_exception()");
  refused([&] { s->start(); }, "start()");
}

TEST_CASE("server refuses settings that make no sense and names them", "[server][B176]") {
  const auto refused = [](auto change, const char* name) {
    auto settings = on_loopback();
    change(settings);
    server s(settings);
    CHECK_THROWS_WITH(s.start(), Catch::Contains(name));
  };
  refused(
      [](config& c) {
        c.spare_threads_max = 3;
        c.handlers = {{.path = "/a", .run = "wasm", .file = "a.wasm"},
                      {.path = "/b", .run = "inline", .file = "b.so"}};
      },
      "may keep 4 threads, their concurrency, but spare_threads_max is 3");
  refused([](config& c) { c.threads = 257; }, "threads");
  refused([](config& c) { c.sessions_max = 0; }, "sessions_max");
  refused([](config& c) { c.listen.clear(); }, "listen");
  refused([](config& c) { c.listen = {"nowhere"}; }, "'nowhere'");
  refused([](config& c) { c.deadlines.head = 0ms; }, "deadlines.head");
  refused([](config& c) { c.deadlines.idle = 25h; }, "deadlines.idle");
  refused([](config& c) { c.limits.fields_max = 0; }, "fields_max");
}

TEST_CASE("server ends run when a handler asks it to stop", "[server][B122]") {
  served s;
  s->get("/stop", [&](const request&) {
    s->stop();
    return response::text("stopping");
  });
  const auto address = s.start();
  std::string answer;
  std::thread asking([&] { answer = client(address).ask(get("/stop")); });
  s->run();
  asking.join();
  CHECK(content_of(answer) == "stopping");
  CHECK(s->addresses().empty());
}

// ------------------------------------------------------------------ draining

TEST_CASE("server drains: busy sessions finish and idle ones end", "[server][drain][B118][B119]") {
  std::atomic<bool> go_on{false};
  served s;
  s->get("/busy", [&](const request&) {
    while (!go_on) std::this_thread::sleep_for(1ms);
    return response::text("finished");
  });
  const auto address = s.start();
  client busy(address);
  client idle(address);
  REQUIRE(content_of(idle.ask(get("/hello"))) == "hello");
  busy.send(get("/busy"));
  wait_until([&] { return s->stats().requests == 2; });
  std::thread draining([&] { s->drain(); });
  CHECK(idle.ends_within(5s));
  CHECK_FALSE(idle.was_reset());
  go_on = true;
  const auto answer = busy.answer();
  CHECK(content_of(answer) == "finished");
  CHECK_THAT(answer, Catch::Contains("Connection: close"));
  CHECK(busy.ends_within(5s));
  draining.join();
  CHECK(s->stats().sessions == 0);
  CHECK_THROWS(client(address));
}

TEST_CASE("server answers a request that arrives in the grace of a drain",
          "[server][drain][B047]") {
  auto settings = on_loopback();
  settings.deadlines.drain_grace = 2s;
  served s(settings);
  const auto address = s.start();
  client late(address);
  REQUIRE(content_of(late.ask(get("/hello"))) == "hello");
  std::thread draining([&] { s->drain(); });
  wait_until([&] {
    try {
      client refused(address);
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  });
  const auto answer = late.ask(get("/hello"));
  CHECK(content_of(answer) == "hello");
  CHECK_THAT(answer, Catch::Contains("Connection: close"));
  CHECK(late.ends_within(5s));
  CHECK_FALSE(late.was_reset());
  draining.join();
}

namespace {

// A stream that goes on for as long as `more` says.
void add_stream(served& s, std::atomic<bool>& more) {
  s->get("/stream", [&](const request&) {
    return response::text("").set_source([&](std::string& piece) {
      std::this_thread::sleep_for(1ms);
      piece = "piece";
      return more.load();
    });
  });
}

}  // namespace

TEST_CASE("server gives the grace also behind a stream that had promised to keep the connection",
          "[server][drain][B118]") {
  auto settings = on_loopback();
  settings.deadlines.drain_grace = 2s;
  std::atomic<bool> more{true};
  served s(settings);
  add_stream(s, more);
  client c(s.start());
  c.send(get("/stream"));
  wait_until([&] { return s->stats().requests == 1; });
  std::thread draining([&] { s->drain(); });
  std::this_thread::sleep_for(50ms);
  more = false;
  CHECK(c.answer().find("Connection: close") == std::string::npos);
  const auto late = c.ask(get("/hello"));
  CHECK(content_of(late) == "hello");
  CHECK_THAT(late, Catch::Contains("Connection: close"));
  draining.join();
}

TEST_CASE("server ends a cut answer by a reset also for clients that can only see the end",
          "[server][drain][B124]") {
  auto settings = on_loopback();
  settings.deadlines.drain = 100ms;
  std::atomic<bool> more{true};
  served s(settings);
  add_stream(s, more);
  client c(s.start());
  c.send("GET /stream HTTP/1.0\r\n\r\n");
  wait_until([&] { return s->stats().requests == 1; });
  s->drain();
  c.rest();
  CHECK(c.was_reset());
}

TEST_CASE("server cuts what is left at the end of a drain", "[server][drain][B116]") {
  auto settings = on_loopback();
  settings.deadlines.drain = 200ms;
  served s(settings);
  const auto address = s.start();
  client uploading(address);
  uploading.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nabc");
  wait_until([&] { return s->stats().sessions == 1; });
  s->drain();
  CHECK(s->stats().sessions == 0);
  CHECK(uploading.rest().empty());
  CHECK(s.count(reason::drain) == 1);
}

TEST_CASE("server resets nobody who sent a request before a drain closed",
          "[server][drain][B047]") {
  for (int round = 0; round < 10; ++round) {
    served s;
    const auto address = s.start();
    std::atomic<int> broken{0};
    std::atomic<int> answered{0};
    std::vector<client> connections;
    for (int t = 0; t < 4; ++t) connections.emplace_back(address);
    std::vector<std::thread> clients;
    for (auto& c : connections)
      clients.emplace_back([&] {
        for (;;) {
          if (!c.send(get("/hello"))) return;
          const auto answer = c.answer();
          // Nothing at all is a close that crossed the request; half an answer is not.
          if (answer.empty()) {
            broken += !c.rest().empty() || c.was_reset();
            return;
          }
          ++answered;
          if (answer.find("Connection: close") != std::string::npos) return;
        }
      });
    wait_until([&] { return answered > 50; });
    s->drain();
    for (auto& t : clients) t.join();
    CHECK(broken == 0);
  }
}

TEST_CASE("connections that come with the end are served or refused and never hang",
          "[server][drain][B128]") {
  for (int round = 0; round < 20; ++round) {
    auto settings = on_loopback();
    settings.deadlines.drain_grace = 20ms;
    served s(settings);
    const auto address = s.start();
    std::atomic<bool> go_on{true};
    std::atomic<int> hanging{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 4; ++i)
      clients.emplace_back([&] {
        while (go_on) try {
            client c(address);
            c.send(get("/hello", "Connection: close\r\n"));
            c.rest();
            if (!c.ends_within(1ms)) ++hanging;
          } catch (const std::runtime_error&) {
            return;  // refused
          }
      });
    std::this_thread::sleep_for(5ms);
    s->drain();
    go_on = false;
    for (auto& one : clients) one.join();
    CHECK(hanging == 0);
  }
}

TEST_CASE("stop leaves no connection and no descriptor behind", "[server][lifecycle][B125][B127]") {
  const auto descriptors = [] { return actors::read_process_figures().descriptors; };
  const auto before = descriptors();
  for (int round = 0; round < 5; ++round) {
    served s;
    const auto address = s.start();
    std::vector<client> open;
    for (int i = 0; i < 20; ++i) {
      open.emplace_back(address);
      REQUIRE(content_of(open.back().ask(get("/hello"))) == "hello");
    }
    s->stop();
    for (auto& c : open) CHECK(c.ends_within(10s));
  }
  CHECK(descriptors() == before);
}
