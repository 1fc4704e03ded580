// Which connections stay, which end, and that they say so.
#include <catch2/catch.hpp>
#include <chrono>
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

TEST_CASE("server takes a request without framed content for one that has none",
          "[server][keep_alive][B037]") {
  served s;
  s->route({"DELETE"}, "/a", [](const request&) { return response::text("deleted"); });
  client c(s.start());
  c.send("DELETE /a HTTP/1.1\r\nHost: t\r\n\r\n" + get("/hello"));
  CHECK(content_of(c.answer()) == "deleted");
  CHECK(content_of(c.answer()) == "hello");
}

TEST_CASE("server answers a slow request before the fast one behind it",
          "[server][keep_alive][B038]") {
  served s;
  s->get("/slow", [](const request&) {
    std::this_thread::sleep_for(50ms);
    return response::text("slow");
  });
  client c(s.start());
  c.send(get("/slow") + get("/hello"));
  CHECK(content_of(c.answer()) == "slow");
  CHECK(content_of(c.answer()) == "hello");
}

TEST_CASE("server says Connection: close in every answer that it closes behind",
          "[server][keep_alive][B043]") {
  auto settings = on_loopback();
  settings.deadlines.head = 50ms;
  settings.limits.request_line_bytes_max = 100;
  settings.limits.content_bytes_max = 10;
  settings.limits.fields_max = 5;
  served s(settings);
  s->get("/throw", [](const request&) -> response { throw 1; });
  const auto address = s.start();
  const std::vector<std::pair<std::string, int>> refused{
      {"GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"GET /hello HTTP/1.1\r\nHost: a\r\n", 408},
      {"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", 413},
      {get("/" + std::string(200, 'x')), 414},
      {get("/hello", "a: 1\r\nb: 1\r\nc: 1\r\nd: 1\r\ne: 1\r\n"), 431},
      {get("/throw"), 500},
      {"GET /hello HTTP/2.0\r\nHost: a\r\n\r\n", 505}};
  for (const auto& [sent, status] : refused) {
    INFO(sent.substr(0, 60));
    client c(address);
    const auto answer = c.ask(sent);
    CHECK(status_of(answer) == status);
    CHECK_THAT(answer, Catch::Contains("\r\nConnection: close\r\n"));
    c.half_close();
    CHECK(c.rest().empty());
    CHECK_FALSE(c.was_reset());
  }
}

TEST_CASE("server finds close among other connection options in any case",
          "[server][keep_alive][B044]") {
  served s;
  const auto address = s.start();
  for (const std::string options : {"foo, CLOSE", "Upgrade, close", "close", ",close,"}) {
    INFO(options);
    client c(address);
    CHECK(status_of(c.ask(get("/hello", "Connection: " + options + "\r\n"))) == 200);
    CHECK(c.ends_within(10s));
  }
}

TEST_CASE("server answers a request that is shorter than other protocols' prefaces",
          "[server][keep_alive][B049]") {
  served s;
  s->get("/", [](const request&) { return response::text("short"); });
  client c(s.start());
  CHECK(content_of(c.ask("GET / HTTP/1.0\r\n\r\n")) == "short");
  CHECK(c.ends_within(10s));
}
