// Handlers in sandboxes, over sockets: what each of their faults is to its client, and that nobody
// else notices.

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/actors/guest_handlers.hpp"
#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

TEST_CASE("guest answers over HTTP with its own fields and content", "[guests]") {
  served s(with({handler_of("/{deed}", example)}, 2));
  client c(s.start());
  const auto hello = c.ask(get("/hello"));
  CHECK(status_of(hello) == 200);
  CHECK_THAT(hello, Catch::Contains("content-type: text/plain\r\n"));
  CHECK(content_of(hello) == "Hello from a sandbox!\n");
  CHECK(content_of(c.ask(post("/echo", std::string(100'000, 'x')))) == std::string(100'000, 'x'));
  CHECK(content_of(c.ask(get("/headers", "X-One: 1\r\nX-Two: 2\r\n"))) ==
        "host: test\nx-one: 1\nx-two: 2\n");
  const auto head = c.ask("HEAD /hello HTTP/1.1\r\nHost: t\r\n\r\n", "HEAD");
  CHECK(status_of(head) == 200);
  CHECK_THAT(head, Catch::Contains("Content-Length: 22\r\n"));
  CHECK(status_of(c.ask("PUT /hello HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n")) == 405);
  // Pipelined, in order.
  c.send(get("/hello") + post("/echo", "1") + get("/hello") + post("/echo", "2"));
  CHECK(content_of(c.answer()) == "Hello from a sandbox!\n");
  CHECK(content_of(c.answer()) == "1");
  CHECK(content_of(c.answer()) == "Hello from a sandbox!\n");
  CHECK(content_of(c.answer()) == "2");
}

TEST_CASE("guest's fault is its own request's and no other's",
          "[guests][containment][B100][B112]") {
  struct fault {
    const char* path;
    int status;
    reason why;
  };
  const auto one = GENERATE(values<fault>({
      {"/throw", 500, reason::exception},
      {"/throw-number", 500, reason::exception},
      {"/failed", 500, reason::exception},
      {"/null", 502, reason::crashed},
      {"/wild", 502, reason::crashed},
      {"/division", 502, reason::crashed},
      {"/abort", 502, reason::crashed},
      {"/exit", 502, reason::crashed},
      {"/stack", 502, reason::crashed},
      {"/thread-exit", 502, reason::crashed},
      {"/loop", 504, reason::budget_exceeded},
      {"/sleep", 504, reason::budget_exceeded},
      {"/no-memory", 503, reason::out_of_memory},
      {"/too-large", 502, reason::bad_response},
      {"/bad-magic", 502, reason::bad_response},
      {"/beyond", 502, reason::bad_response},
  }));
  INFO(one.path);
  auto guilty = handler_of("/{deed}", hostile);
  guilty.wall = 300ms;
  served s(with({guilty, handler_of("/healthy/{deed}", example)}));
  s->get("/inline/hello", [](const request&) { return response::text("inline"); });
  const auto address = s.start();
  client neighbour(address);
  CHECK(content_of(neighbour.ask(get("/inline/hello"))) == "inline");
  client c(address);
  c.send(get(one.path));
  // While it is in flight, on the same reactor.
  CHECK(content_of(neighbour.ask(get("/inline/hello"))) == "inline");
  const auto answer = c.answer();
  CHECK(status_of(answer) == one.status);
  CHECK_THAT(answer, Catch::Contains("request id "));
  // The session goes on, and so does the handler.
  CHECK(content_of(c.ask(get("/ok"))) == "ok");
  CHECK(content_of(neighbour.ask(get("/inline/hello"))) == "inline");
  // One outcome, one record.
  CHECK(s.count(one.why) == 1);
  CHECK(s->stats().handler_exceptions == 0);
}

TEST_CASE("guest may jump over its own frames", "[guests][B112]") {
  served s(with({handler_of("/{deed}", hostile)}));
  client c(s.start());
  CHECK(content_of(c.ask(get("/long-jump"))) == "jumped");
  CHECK(content_of(c.ask(get("/ok"))) == "ok");
}

namespace {

// Processes of this one's threads.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (pid_t one = 0; file >> one;) all.push_back(one);
  }
  return all;
}

std::string name_of(pid_t one) {
  std::ifstream file("/proc/" + std::to_string(one) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace

TEST_CASE("guest whose process is killed from outside is noticed at once", "[guests][B113]") {
  auto patient = handler_of("/{deed}", hostile);
  patient.concurrency = 1;
  served s(with({patient}));
  const auto address = s.start();
  client c(address);
  CHECK(content_of(c.ask(get("/ok"))) == "ok");
  c.send(get("/sleep"));
  // Whoever runs it: a worker that has no request is replaced without anybody's notice.
  wait_until([&] {
    for (const auto one : children())
      if (name_of(one) == "bulkhead-worker") ::kill(one, SIGKILL);
    return s.count(reason::crashed) == 1;
  });
  CHECK(status_of(c.answer()) == 502);
  wait_until([&] { return content_of(c.ask(get("/ok"))) == "ok"; });
  CHECK(s.count(reason::budget_exceeded) == 0);
}

TEST_CASE("guests have caps of their own and figures of their own", "[guests][metrics][B175]") {
  auto poor = handler_of("/poor/{deed}", BULKHEAD_BROKEN_GUEST);
  poor.memory_bytes = 1 << 20;
  poor.cpu = 50ms;
  auto rich = handler_of("/rich/{deed}", BULKHEAD_BROKEN_GUEST);
  rich.methods = {"GET"};
  auto poster = rich;
  poster.methods = {"POST"};
  auto settings = with({poor, rich, poster});
  settings.admin_listen = "127.0.0.1:0";
  served s(settings);
  client c(s.start());
  CHECK(status_of(c.ask(get("/poor/leak"))) == 503);
  CHECK(content_of(c.ask(get("/rich/leak"))) == "ok");
  CHECK(content_of(c.ask(post("/rich/leak", ""))) == "ok");
  CHECK(status_of(c.ask(get("/poor/loop"))) == 504);
  const auto figures = content_of(client(s->admin_address()).ask(get("/metrics")));
  const auto count_of = [&](const std::string& handler, const char* outcome) {
    const auto line =
        "bulkhead_guest_requests_total{handler=\"" + handler + "\",outcome=\"" + outcome + "\"} ";
    const auto at = figures.find(line);
    REQUIRE(at != std::string::npos);
    // A series is there once, or nobody scrapes anything.
    CHECK(figures.find(line, at + 1) == std::string::npos);
    return std::stoi(figures.substr(at + line.size()));
  };
  CHECK(count_of("/poor/{deed}", "out_of_memory") == 1);
  CHECK(count_of("/poor/{deed}", "deadline") == 1);
  CHECK(count_of("/rich/{deed}", "out_of_memory") == 0);
  // Of both of that path.
  CHECK(count_of("/rich/{deed}", "response") == 2);
}

TEST_CASE("guest whose client leaves is cancelled and its place is free again", "[guests]") {
  auto busy = handler_of("/{deed}", hostile);
  busy.concurrency = 1;
  busy.wall = 500ms;
  served s(with({busy}));
  const auto address = s.start();
  for (int i = 0; i < 3; ++i) {
    client leaving(address);
    leaving.send(get("/loop"));
    std::this_thread::sleep_for(20ms);
    leaving.reset();
  }
  wait_until([&] { return s->stats().sessions == 0; });
  client c(address);
  wait_until([&] { return status_of(c.ask(get("/ok"))) == 200; });
}

TEST_CASE("guest that is busy beyond its queue is answered 503 with Retry-After",
          "[guests][B077]") {
  auto busy = handler_of("/{deed}", hostile);
  busy.concurrency = 1;
  busy.queue = 1;
  busy.queue_wait = 30ms;
  busy.wall = 2000ms;
  served s(with({busy}));
  const auto address = s.start();
  std::vector<client> all;
  for (int i = 0; i < 5; ++i) {
    all.emplace_back(address);
    all.back().send(get("/loop"));
  }
  int refused = 0;
  int cut = 0;
  for (auto& each : all) {
    const auto answer = each.answer();
    refused += status_of(answer) == 503 ? 1 : 0;
    cut += status_of(answer) == 504 ? 1 : 0;
    if (status_of(answer) == 503) CHECK_THAT(answer, Catch::Contains("Retry-After: 1\r\n"));
  }
  // Who is in the queue waits as long as its budget of time.
  CHECK(refused == 4);
  CHECK(cut == 1);
  CHECK(s.count(reason::handler_overloaded) == 4);
}

TEST_CASE("guest is not asked more than it may be asked", "[guests]") {
  auto small = handler_of("/{deed}", example);
  small.request_bytes = 1024;
  auto settings = with({small});
  settings.limits.fields_max = 400;
  served s(settings);
  const auto address = s.start();
  CHECK(content_of(client(address).ask(post("/echo", "x"))) == "x");
  client large(address);
  const auto refused = large.ask(post("/echo", std::string(2000, 'x')));
  CHECK(status_of(refused) == 413);
  CHECK_THAT(refused, Catch::Contains("Connection: close"));
  CHECK(large.rest().empty());
  // Before the content is there, and without asking for it.
  for (const auto* const before :
       {"Content-Length: 2000\r\nExpect: 100-continue\r\n\r\n",
        "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n7d0\r\n"}) {
    client announcing(address);
    announcing.send("POST /echo HTTP/1.1\r\nHost: t\r\n" + std::string(before));
    announcing.send(std::string(1500, 'x'));
    announcing.half_close();
    const auto all = announcing.rest();
    CHECK_THAT(all, Catch::Contains("HTTP/1.1 413 "));
    CHECK((all.find("HTTP/1.1 100 ") == all.npos) == (before[0] == 'C'));
  }
  // More fields than a message has, although the server takes them.
  std::string many;
  for (int i = 0; i < 300; ++i) many += "a: b\r\n";
  CHECK(status_of(client(address).ask(get("/hello", many))) == 413);
  CHECK(s.count(reason::too_large) == 4);
}

TEST_CASE("guest that fails again and again has its circuit opened and closed", "[guests]") {
  auto failing = handler_of("/{deed}", hostile);
  failing.breaker_faults = 3;
  failing.breaker_open = 200ms;
  served s(with({failing}));
  client c(s.start());
  for (int i = 0; i < 3; ++i) CHECK(status_of(c.ask(get("/abort"))) == 502);
  const auto refused = c.ask(get("/ok"));
  CHECK(status_of(refused) == 503);
  CHECK_THAT(refused, Catch::Contains("Retry-After: 1\r\n"));
  CHECK(s.count(reason::handler_overloaded) == 1);
  wait_until([&] { return status_of(c.ask(get("/ok"))) == 200; });
  CHECK(content_of(c.ask(get("/ok"))) == "ok");
}

TEST_CASE("guest is cut off by the server's own deadline when that comes first", "[guests]") {
  auto slow = handler_of("/{deed}", hostile);
  slow.wall = 20s;
  slow.cpu = 20s;
  slow.concurrency = 1;
  auto settings = with({slow});
  settings.deadlines.handler = 150ms;
  served s(settings);
  client c(s.start());
  // Its only place is free again when the answer is there.
  for (const auto* path : {"/sleep", "/loop"}) {
    CHECK(status_of(c.ask(get(path))) == 504);
    CHECK(content_of(c.ask(get("/ok"))) == "ok");
  }
  CHECK(s.count(reason::budget_exceeded) == 2);
}

TEST_CASE("guest file that is missing or no object names itself", "[guests]") {
  const temporary_folder folder;
  const auto missing = folder.file("missing.so");
  served s(with({handler_of("/x", missing)}));
  CHECK_THROWS_WITH(s.start(), Catch::Contains("/x") && Catch::Contains("missing.so"));
}

TEST_CASE("guests run beside each other from many connections", "[guests][containment]") {
  auto hostile_one = handler_of("/{deed}", hostile);
  hostile_one.concurrency = 4;
  hostile_one.breaker_faults = 0;
  served s(with({hostile_one, handler_of("/e/{deed}", example)}, 2));
  s->get("/inline/hello", [](const request&) { return response::text("inline"); });
  const auto address = s.start();
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      client c(address);
      for (int i = 0; i < 25; ++i) {
        if (t == 0) {
          wrong += status_of(c.ask(get("/abort"))) == 502 ? 0 : 1;
        } else if (t == 1) {
          wrong += content_of(c.ask(get("/inline/hello"))) == "inline" ? 0 : 1;
        } else {
          const auto text = std::to_string(t * 1000 + i);
          wrong += content_of(c.ask(post("/echo", text))) == text ? 0 : 1;
        }
      }
    });
  for (auto& each : threads) each.join();
  CHECK(wrong == 0);
  CHECK(s.count(reason::crashed) == 25);
}
