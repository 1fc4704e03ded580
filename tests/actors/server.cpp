// The server from outside, over sockets.
#include "actors/server.hpp"

#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/client.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

namespace {

config on_loopback(unsigned threads = 2) {
  config settings;
  settings.listen = {"127.0.0.1:0"};
  settings.threads = threads;
  return settings;
}

response hello(const request&) {
  return response::text("hello");
}

// Serves /hello, /echo and whatever the test adds.
class served {
 public:
  explicit served(config settings = on_loopback()) : server_(std::move(settings)) {
    server_.get("/hello", hello);
    server_.post("/echo",
                 [](const request& r) { return response::bytes(std::string(r.content())); });
  }
  server& operator*() { return server_; }
  server* operator->() { return &server_; }
  std::string start() {
    server_.start();
    return server_.addresses().front();
  }

 private:
  server server_;
};

std::string post_echo(const std::string& content) {
  return "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(content.size()) +
         "\r\n\r\n" + content;
}

}  // namespace

// ------------------------------------------------------------------- serving

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

// ----------------------------------------------------------------- streaming

TEST_CASE("server streams content piece by piece in chunks", "[server][rfc9112-7.1]") {
  served s;
  s->get("/stream", [](const request&) {
    auto answer = response::text("");
    answer.set_source([left = 3](std::string& piece) mutable {
      if (left != 2) piece = "piece " + std::to_string(left);
      return --left > 0;
    });
    return answer;
  });
  client c(s.start());
  CHECK(content_of(c.ask(get("/stream"))) == "7\r\npiece 3\r\n7\r\npiece 1\r\n0\r\n\r\n");
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
  const auto head = c.ask("HEAD /stream HTTP/1.1\r\nHost: t\r\n\r\n", "HEAD");
  CHECK(status_of(head) == 200);
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
  c.send("GET /stream HTTP/1.0\r\n\r\n");
  CHECK(content_of(c.rest()) == "piece 3piece 1");
}

TEST_CASE("server asks a source for no more than a slow client has taken", "[server][B172]") {
  std::atomic<int> pieces{0};
  served s;
  s->get("/endless", [&](const request&) {
    auto answer = response::bytes("");
    answer.set_source([&](std::string& piece) {
      ++pieces;
      piece.assign(1'000'000, 'z');
      return true;
    });
    return answer;
  });
  client c(s.start());
  c.send(get("/endless"));
  wait_until([&] { return pieces > 0; });
  // Socket buffers hold a few pieces; after that the source must rest.
  int before = -1;
  wait_until([&] { return std::exchange(before, pieces.load()) == pieces.load(); }, 200ms);
  CHECK(pieces < 50);
  c.reset();
  wait_until([&] { return s->stats().sessions == 0; });
}

TEST_CASE("server cuts a stream off visibly when its source throws", "[server][B104]") {
  served s;
  s->get("/half", [](const request&) {
    auto answer = response::text("");
    answer.set_source([first = true](std::string& piece) mutable {
      if (!std::exchange(first, false)) throw std::runtime_error("in the middle");
      piece = "half";
      return true;
    });
    return answer;
  });
  client c(s.start());
  c.send(get("/half"));
  const auto all = c.rest();
  CHECK(all.find("0\r\n\r\n") == std::string::npos);
  CHECK(c.was_reset());
  wait_until([&] { return s->stats().sessions_ended == 1; });
  CHECK(s->stats().handler_exceptions == 1);
}

// --------------------------------------------------------------- containment

TEST_CASE("server turns whatever a handler throws into a 500 and ends that session",
          "[server][B101]") {
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

TEST_CASE("server keeps 500 healthy connections beside 500 that throw", "[server][containment]") {
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
          "[server][handover]") {
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

// ----------------------------------------------------------------- deadlines

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

// ------------------------------------------------------------------ admission

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

// ------------------------------------------------------------------ lifecycle

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
  CHECK_THROWS_AS(s->get("/late", hello), std::logic_error);
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

TEST_CASE("server refuses settings that make no sense and names them", "[server]") {
  const auto refused = [](auto change, const char* name) {
    auto settings = on_loopback();
    change(settings);
    server s(settings);
    CHECK_THROWS_WITH(s.start(), Catch::Contains(name));
  };
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
