// What is held is given back: sessions, buffers, settings.
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/process_figures.hpp"
#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool instrumented = true;
#elif defined(__has_feature)
constexpr bool instrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool instrumented = false;
#endif

std::uint64_t resident_bytes() {
  return actors::read_process_figures().resident_bytes;
}

}  // namespace

TEST_CASE("sessions that are reset at any stage give their places and bytes back",
          "[server][memory]") {
  auto settings = on_loopback();
  settings.deadlines.idle = 60s;
  served s(settings);
  s->get("/large", [](const request&) { return response::bytes(std::string(2'000'000, 'x')); });
  s->get("/slow", [](const request& r) {
    for (int i = 0; i < 200 && !r.cancelled(); ++i) std::this_thread::sleep_for(1ms);
    return response::text("slow");
  });
  const auto address = s.start();
  const std::vector<std::string> stages{
      "",                                                                 // accepted
      "GET /hel",                                                         // in the head
      "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 9000\r\n\r\nx",  // in the content
      get("/hello"),                                                      // answered or not
      get("/large"),                                                      // in the write
  };
  const int rounds = instrumented ? 100 : 2000;
  for (int i = 0; i < rounds; ++i)
    for (const auto& sent : stages) {
      client c(address);
      if (!sent.empty()) c.send(sent);
      c.reset();
    }
  for (int i = 0; i < 20; ++i) {
    client c(address);
    c.send(get("/slow"));
    std::this_thread::sleep_for(2ms);
    c.reset();
  }
  wait_until([&] { return s->stats().sessions == 0; });
  wait_until([&] { return s->stats().held_bytes == 0; });
  CHECK(content_of(client(address).ask(get("/hello"))) == "hello");
}

TEST_CASE("connection holds nothing between requests however large they were",
          "[server][memory][B092]") {
  served s;
  client c(s.start());
  const std::string content(64 * 1024, 'x');
  const auto sent = "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 65536\r\n\r\n" + content;
  const auto ask = [&](int times) {
    for (int i = 0; i < times; ++i) REQUIRE(content_of(c.ask(sent, "POST")).size() == 65536);
  };
  ask(200);
  wait_until([&] { return s->stats().held_bytes == 0; });
  const auto before = resident_bytes();
  ask(instrumented ? 200 : 5000);
  wait_until([&] { return s->stats().held_bytes == 0; });
  if (!instrumented) CHECK(resident_bytes() < before + (std::size_t{4} << 20));
}

TEST_CASE("server does not grow by settings that are loaded anew a thousand times",
          "[server][memory][B097]") {
  served s;
  const auto address = s.start();
  const auto before = resident_bytes();
  auto settings = on_loopback();
  for (std::size_t i = 0; i < 1000; ++i) {
    settings.sessions_max = 100 + i;
    CHECK(s->reload(settings).empty());
  }
  if (!instrumented) CHECK(resident_bytes() < before + (std::size_t{4} << 20));
  CHECK(content_of(client(address).ask(get("/hello"))) == "hello");
}

TEST_CASE("connection keeps the limits that it began with when they are loaded anew",
          "[server][reload]") {
  auto settings = on_loopback();
  served s(settings);
  const auto address = s.start();
  client old(address);
  const auto long_path = get("/" + std::string(500, 'x'));
  CHECK(status_of(old.ask(long_path)) == 404);
  settings.limits.request_line_bytes_max = 100;
  settings.threads = 1;
  settings.listen = {"127.0.0.1:1"};
  CHECK(s->reload(settings) == std::vector<std::string>{"listen", "threads"});
  CHECK(status_of(client(address).ask(long_path)) == 414);
  CHECK(status_of(old.ask(long_path)) == 404);
  settings.limits.head_bytes_max = 1;
  CHECK_THROWS_AS(s->reload(settings), std::invalid_argument);
  CHECK(status_of(client(address).ask(long_path)) == 414);
}
