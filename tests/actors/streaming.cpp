// Content that goes out and comes in piece by piece.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
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

TEST_CASE("server holds no thread for sources that have nothing yet", "[server][streaming][B074]") {
  std::atomic<bool> there{false};
  auto settings = on_loopback(1);
  settings.spare_threads_max = 1;
  served s(settings);
  s->get("/events", [&](const request&) {
    auto answer = response::text("");
    answer.set_source([&](std::string& piece) {
      if (there) piece = "event";
      return !there;
    });
    return answer;
  });
  const auto address = s.start();
  std::vector<client> waiting;
  for (int i = 0; i < 50; ++i) {
    waiting.emplace_back(address);
    waiting.back().send(get("/events"));
  }
  wait_until([&] { return s->stats().requests == 50; });
  client other(address);
  for (int i = 0; i < 10; ++i) CHECK(content_of(other.ask(get("/hello"))) == "hello");
  client leaving(address);
  leaving.send(get("/events"));
  wait_until([&] { return s->stats().sessions == 52; });
  leaving.reset();
  wait_until([&] { return s->stats().sessions == 51; });
  there = true;
  for (auto& each : waiting) CHECK(content_of(each.answer()) == "5\r\nevent\r\n0\r\n\r\n");
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

// -------------------------------------------------------------------- uploads

namespace {

// Counts what it is given, and answers with the count.
upload counting(std::atomic<std::size_t>& bytes) {
  return {[&](std::string_view piece) { bytes += piece.size(); },
          [&] { return response::text(std::to_string(bytes)); }};
}

}  // namespace

TEST_CASE("server gives an upload handler the content while it arrives", "[server][upload]") {
  std::atomic<std::size_t> bytes{0};
  served s;
  s->receive({"PUT"}, "/files/{name}", [&](const request& r) {
    CHECK(r.parameter("name") == "a");
    return counting(bytes);
  });
  client c(s.start());
  c.send("PUT /files/a HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n" +
         std::string(60'000, 'x'));
  wait_until([&] { return bytes == 60'000; });
  CHECK(content_of(c.ask(std::string(40'000, 'y'))) == "100000");
  bytes = 0;
  CHECK(content_of(c.ask("PUT /files/a HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
                         "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")) == "5");
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
}

TEST_CASE("server holds no upload back that its handler has not taken", "[server][upload][B098]") {
  std::atomic<std::size_t> bytes{0};
  std::atomic<bool> go_on{false};
  auto settings = on_loopback();
  settings.limits.content_bytes_max = 1u << 30;
  served s(settings);
  s->receive({"PUT"}, "/", [&](const request&) {
    auto receiver = counting(bytes);
    receiver.on_content = [&](std::string_view piece) {
      while (!go_on) std::this_thread::sleep_for(1ms);
      bytes += piece.size();
    };
    return receiver;
  });
  client c(s.start());
  const std::size_t all = 200'000'000;
  c.send("PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(all) + "\r\n\r\n");
  std::atomic<std::size_t> sent{0};
  std::thread sender([&] {
    const std::string piece(1'000'000, 'x');
    while (sent < all && c.send(piece)) sent += piece.size();
  });
  wait_until([&] { return sent > 0; });
  std::size_t before = 1;
  wait_until([&] { return std::exchange(before, sent.load()) == sent.load(); }, 200ms);
  CHECK(sent < all / 4);
  CHECK(s->stats().held_bytes < 1'000'000);
  go_on = true;
  sender.join();
  CHECK(content_of(c.answer()) == std::to_string(all));
}

TEST_CASE("server refuses chunked content on the byte after its limit", "[server][B137]") {
  auto settings = on_loopback();
  settings.limits.content_bytes_max = 1000;
  served s(settings);
  client c(s.start());
  c.send("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n" +
         std::string(1000, 'x') + "\r\n1\r\n");
  CHECK(status_of(c.answer()) == 413);
  CHECK(s.count(reason::too_large) == 1);
}

TEST_CASE("server turns what an upload handler throws into a 500", "[server][upload][B101]") {
  served s;
  s->receive({"PUT"}, "/begin", [](const request&) -> upload { throw 1; });
  s->receive({"PUT"}, "/piece", [](const request&) {
    return upload{[](std::string_view) { throw 2; }, [] { return response(204); }};
  });
  s->receive({"PUT"}, "/end", [](const request&) {
    return upload{{}, []() -> response { throw 3; }};
  });
  const auto address = s.start();
  for (const auto* path : {"/begin", "/piece", "/end"}) {
    client c(address);
    const auto answer =
        c.ask("PUT " + std::string(path) + " HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nab");
    INFO(path);
    CHECK(status_of(answer) == 500);
    CHECK(c.rest().empty());
  }
  CHECK(s.count(reason::exception) == 3);
}

TEST_CASE("server drops content that nobody wants and keeps the connection up to its cap",
          "[server][B088]") {
  auto settings = on_loopback();
  settings.discarded_content_bytes_max = 1000;
  served s(settings);
  const auto address = s.start();
  const auto post = [](std::size_t size) {
    return "POST /nowhere HTTP/1.1\r\nHost: t\r\nContent-Length: " + std::to_string(size) +
           "\r\n\r\n" + std::string(size, 'x');
  };
  client kept(address);
  CHECK(status_of(kept.ask(post(1000))) == 404);
  CHECK(content_of(kept.ask(get("/hello"))) == "hello");
  client ended(address);
  const auto answer = ended.ask(post(1001));
  CHECK(status_of(answer) == 404);
  CHECK_THAT(answer, Catch::Contains("Connection: close"));
  CHECK(ended.ends_within(5s));
  wait_until([&] { return s.count(reason::served) == 3; });
}

TEST_CASE("server ends chunked content by one last chunk and sends no empty one before",
          "[server][B140]") {
  served s;
  for (const int pieces : {0, 1, 3})
    s->get("/pieces/" + std::to_string(pieces), [pieces](const request&) {
      auto answer = response::text("");
      answer.set_source([pieces, sent = 0](std::string& piece) mutable {
        // Every second piece is empty: that is not the end.
        if (sent < 2 * pieces) piece = sent++ % 2 ? "" : "abc";
        return sent < 2 * pieces;
      });
      return answer;
    });
  const auto address = s.start();
  const auto raw = [&](int pieces) {
    client c(address);
    c.send(get("/pieces/" + std::to_string(pieces), "Connection: close\r\n"));
    const auto all = c.rest();
    return all.substr(all.find("\r\n\r\n") + 4);
  };
  CHECK(raw(0) == "0\r\n\r\n");
  CHECK(raw(1) == "3\r\nabc\r\n0\r\n\r\n");
  CHECK(raw(3) == "3\r\nabc\r\n3\r\nabc\r\n3\r\nabc\r\n0\r\n\r\n");
}

TEST_CASE("server sends every byte of odd pieces once to a client that reads slowly",
          "[server][B086]") {
  served s;
  static constexpr std::size_t total = 3'000'000;
  const auto byte_at = [](std::size_t i) { return static_cast<char>('a' + i * 7 % 26); };
  s->get("/pattern", [&](const request&) {
    auto answer = response::bytes("");
    answer.set_source([&byte_at, at = std::size_t{0}](std::string& piece) mutable {
      const auto end = std::min(total, at + 1 + at % 9973);
      while (at < end) piece += byte_at(at++);
      return at < total;
    });
    return answer;
  });
  client c(s.start());
  c.send("GET /pattern HTTP/1.0\r\nHost: t\r\n\r\n");
  std::this_thread::sleep_for(50ms);
  const auto content = content_of(c.rest());
  REQUIRE(content.size() == total);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < total; ++i) wrong += content[i] != byte_at(i);
  CHECK(wrong == 0);
}
