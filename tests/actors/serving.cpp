// What a client gets from the server over a socket.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

namespace {

std::string post_echo(const std::string& content) {
  return "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

}  // namespace

TEST_CASE("server answers requests on one connection in order", "[server][rfc9112-9.3.2]") {
  served s;
  client c(s.start());
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
  CHECK(content_of(c.ask(post_echo("abc"))) == "abc");
  c.send(get("/hello") + post_echo("1") + get("/nowhere") + post_echo("2"));
  CHECK(content_of(c.answer()) == "hello");
  CHECK(content_of(c.answer()) == "1");
  CHECK(status_of(c.answer()) == 404);
  CHECK(content_of(c.answer()) == "2");
}

TEST_CASE("server answers a thousand pipelined requests in any split", "[server][B040]") {
  served s;
  const auto address = s.start();
  std::string all;
  for (int i = 0; i < 1000; ++i) all += get("/hello");
  SECTION("in one write") {
    client c(address);
    c.send(all);
    for (int i = 0; i < 1000; ++i) REQUIRE(content_of(c.answer()) == "hello");
  }
  SECTION("in odd pieces") {
    client c(address);
    std::thread sender([&] {
      for (std::size_t at = 0; at < all.size(); at += 37) c.send(all.substr(at, 37));
    });
    client& reader = c;
    for (int i = 0; i < 1000; ++i) REQUIRE(content_of(reader.answer()) == "hello");
    sender.join();
  }
}

TEST_CASE("server echoes content of every size around its buffers", "[server]") {
  served s;
  client c(s.start());
  for (const std::size_t size :
       {0u, 1u, 4096u, 4097u, 16'000u, 16'384u, 16'385u, 65'536u, 1'000'000u, 16u * 1024 * 1024}) {
    std::string content(size, ' ');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>('a' + i * 7 % 26);
    INFO(size);
    REQUIRE(content_of(c.ask(post_echo(content))) == content);
  }
}

TEST_CASE("server refuses content beyond its limit and the answer arrives",
          "[server][rfc9110-15.5.14]") {
  auto settings = on_loopback();
  settings.limits.content_bytes_max = 1'000'000;
  served s(settings);
  client c(s.start());
  c.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 9000000\r\n\r\n");
  std::thread sender([&] { c.send(std::string(9'000'000, 'x')); });
  client& reader = c;
  CHECK(status_of(reader.answer()) == 413);
  sender.join();
}

TEST_CASE("server sends large answers to a client that reads late", "[server]") {
  served s;
  const std::string large(20'000'000, 'y');
  s->get("/large", [&](const request&) { return response::bytes(large); });
  client c(s.start());
  c.send(get("/large") + get("/hello"));
  std::this_thread::sleep_for(100ms);
  CHECK(content_of(c.answer()) == large);
  CHECK(content_of(c.answer()) == "hello");
}

TEST_CASE("server gives handlers what the request says", "[server]") {
  served s;
  s->route({"GET"}, "/users/{id}/files/{name}", [](const request& r) {
    return response::text(
        std::string(r.method()) + "|" + std::string(r.path()) + "|" + std::string(r.query()) + "|" +
        std::string(r.parameter("id")) + "|" + std::string(r.parameter("name")) + "|" +
        std::string(r.field("x-a").value_or("none")) + "|" + std::string(r.authority()) + "|" +
        r.peer().substr(0, 10) + "|" + std::string(r.scheme()));
  });
  client c(s.start());
  CHECK(content_of(c.ask("GET https://h/users/7/files/a%20b?q=1 HTTP/1.1\r\nHost: t\r\n"
                         "X-A: v\r\n\r\n")) ==
        "GET|/users/7/files/a%20b|q=1|7|a%20b|v|h|127.0.0.1:|http");
}

TEST_CASE("server keeps a request's views good while its content arrives slowly", "[server]") {
  served s;
  s->post("/{name}", [](const request& r) {
    return response::text(std::string(r.parameter("name")) + std::string(r.field("x").value()) +
                          std::to_string(r.content().size()));
  });
  client c(s.start());
  const std::string long_value(15'000, 'v');
  c.send(get("/hello") + "POST /who HTTP/1.1\r\nHost: t\r\nX: " + long_value +
         "\r\nContent-Length: 40000\r\n\r\n");
  CHECK(content_of(c.answer()) == "hello");
  for (int i = 0; i < 40; ++i) {
    c.send(std::string(1000, 'c'));
    std::this_thread::sleep_for(1ms);
  }
  CHECK(content_of(c.answer()) == "who" + long_value + "40000");
}

TEST_CASE("server sends 100 Continue only when a handler wants the content",
          "[server][rfc9110-10.1.1]") {
  served s;
  const auto address = s.start();
  const std::string fields = "Host: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  client wanted(address);
  wanted.send("POST /echo HTTP/1.1\r\n" + fields);
  CHECK(wanted.rest(25) == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(content_of(wanted.ask("ok")) == "ok");
  client refused(address);
  const auto answer = refused.ask("POST /nowhere HTTP/1.1\r\n" + fields);
  CHECK(status_of(answer) == 404);
  CHECK_THAT(answer, Catch::Contains("Connection: close"));
}

TEST_CASE("server answers a client that has ended its sending side", "[server][B146]") {
  served s;
  s->get("/slow", [](const request&) {
    std::this_thread::sleep_for(50ms);
    return response::text("late");
  });
  client c(s.start());
  c.send(get("/hello") + get("/slow"));
  c.half_close();
  CHECK(content_of(c.answer()) == "hello");
  CHECK(content_of(c.answer()) == "late");
  CHECK(c.ends_within(5s));
  CHECK_FALSE(c.was_reset());
}

TEST_CASE("server sees the end of a stream that comes with the last bytes", "[server][B145]") {
  served s;
  const auto address = s.start();
  for (int i = 0; i < 20; ++i) {
    client c(address);
    CHECK(content_of(c.ask(get("/hello"))) == "hello");
    // Both in one edge, if the server is slow enough to see them together.
    c.send(get("/hello"));
    c.half_close();
    CHECK(content_of(c.answer()) == "hello");
    CHECK(c.ends_within(5s));
  }
}
