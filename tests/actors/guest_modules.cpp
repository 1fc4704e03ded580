// WebAssembly handlers, over sockets.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/actors/guest_handlers.hpp"
#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

namespace {

guest_handler module_of(std::string path, std::string file) {
  auto one = handler_of(std::move(path), std::move(file));
  one.run = "wasm";
  return one;
}

config with_modules(std::vector<guest_handler> handlers, unsigned threads = 1) {
  auto settings = with(std::move(handlers), threads);
  settings.wasm_cache = BULKHEAD_WASM_CACHE;
  return settings;
}

}  // namespace

TEST_CASE("guest gives the same octets from a process and as a module and inline",
          "[guests][wasm]") {
  served s(with_modules({module_of("/{deed}", BULKHEAD_EXAMPLE_MODULE)}));
  served other(with({handler_of("/{deed}", example)}));
  served third(with({inline_of("/{deed}", example)}));
  client as_module(s.start());
  client in_process(other.start());
  client in_server(third.start());
  for (const auto& each :
       {get("/hello"), get("/headers", "X-One: 1\r\n"), get("/nowhere"), post("/sum", "1 2 39"),
        post("/echo", std::string(100'000, 'x')), post("/echo", "")}) {
    const auto expected = without_date(in_process.ask(each));
    CHECK(without_date(as_module.ask(each)) == expected);
    CHECK(without_date(in_server.ask(each)) == expected);
  }
}

TEST_CASE("guest that is a module traps alone", "[guests][wasm][containment][B104][B109]") {
  auto guilty = module_of("/{deed}", BULKHEAD_GUESTS "hostile.wasm");
  guilty.wall = 300ms;
  guilty.breaker_faults = 0;
  served s(with_modules({guilty}));
  s->get("/inline/hello", [](const request&) { return response::text("inline"); });
  const auto address = s.start();
  client neighbour(address);
  client c(address);
  struct fault {
    const char* path;
    int status;
  };
  for (const auto& [path, status] : {fault{"/throw", 500},
                                     {"/wild", 500},
                                     {"/division", 500},
                                     {"/abort", 500},
                                     {"/stack", 500},
                                     {"/loop", 504},
                                     {"/no-memory", 503},
                                     {"/too-large", 502}}) {
    INFO(path);
    c.send(get(path));
    CHECK(content_of(neighbour.ask(get("/inline/hello"))) == "inline");
    CHECK(status_of(c.answer()) == status);
    CHECK(content_of(c.ask(get("/ok"))) == "ok");
  }
  CHECK(s.count(reason::trap) == 5);
}

TEST_CASE("guest that is a module has a queue as well", "[guests][wasm]") {
  auto busy = module_of("/{deed}", BULKHEAD_GUESTS "hostile.wasm");
  busy.concurrency = 1;
  busy.queue = 4;
  busy.queue_wait = 1ms;
  busy.cpu = 1000ms;
  busy.wall = 20s;
  served s(with_modules({busy}));
  const auto address = s.start();
  client looping(address);
  looping.send(get("/loop"));
  wait_until([&] { return s->stats().handovers > 0; });
  std::vector<client> others;
  for (int i = 0; i < 6; ++i) {
    others.emplace_back(address);
    others.back().send(get("/ok"));
  }
  int refused = 0;
  for (auto& each : others) refused += status_of(each.answer()) == 503;
  CHECK(refused == 2);
  CHECK(status_of(looping.answer()) == 504);
  CHECK(s.count(reason::handler_overloaded) == 2);
}

TEST_CASE("guest that is a module is cut off by the server's own deadline when that comes first",
          "[guests][wasm]") {
  auto slow = module_of("/{deed}", BULKHEAD_GUESTS "hostile.wasm");
  slow.wall = 24h;
  slow.cpu = 24h;
  slow.concurrency = 1;
  auto settings = with_modules({slow});
  settings.deadlines.handler = 150ms;
  served s(settings);
  client c(s.start());
  for (int i = 0; i < 2; ++i) {
    CHECK(status_of(c.ask(get("/loop"))) == 504);
    CHECK(content_of(c.ask(get("/ok"))) == "ok");
  }
  CHECK(s.count(reason::budget_exceeded) == 2);
}

// It would be waited for until tomorrow.
TEST_CASE("guest that is a module does not keep the server from its end",
          "[guests][wasm][lifecycle]") {
  auto endless = module_of("/{deed}", BULKHEAD_GUESTS "hostile.wasm");
  endless.wall = 24h;
  endless.cpu = 24h;
  auto settings = with_modules({endless});
  settings.deadlines.handler = 24h;
  settings.deadlines.drain = 50ms;
  served s(settings);
  const auto address = s.start();
  client in_force(address), replaced(address), other(address);
  replaced.send(get("/loop"));
  wait_until([&] { return s->stats().requests == 1; });
  settings.handlers.front().wall = 23h;
  CHECK(s->reload(settings).empty());
  CHECK(content_of(other.ask(get("/ok"))) == "ok");
  in_force.send(get("/loop"));
  wait_until([&] { return s->stats().requests == 3; });
  s->drain();
  CHECK(s->stats().sessions == 0);
}

TEST_CASE("guests that are modules and were replaced leave nothing behind",
          "[guests][wasm][reload]") {
  // Of inline handlers that were here before: glibc keeps some of their objects.
  const auto others = count_modules();
  const temporary_folder folder;
  const auto file = folder.file("handler.wasm");
  std::filesystem::copy_file(BULKHEAD_EXAMPLE_MODULE, file);
  const auto settings = with_modules({module_of("/{deed}", file)}, 2);
  served s(settings);
  const auto address = s.start();
  client c(address);
  CHECK(status_of(c.ask(get("/hello"))) == 200);
  check_reloads_leave_nothing(s, settings, file, c);

  // Whose content comes while others are configured is answered by who was asked.
  client slow(address);
  slow.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 4\r\n\r\nab");
  wait_until([&] { return s->stats().sessions == 2; });
  c.ask(get("/hello"));
  const auto before = count_modules();
  auto none = settings;
  none.handlers.clear();
  CHECK(s->reload(none).empty());
  wait_until([&] { return status_of(c.ask(get("/sum"))) == 404; });
  CHECK(count_modules() == before);
  slow.send("cd");
  CHECK(content_of(slow.answer()) == "abcd");
  wait_until([&] { return count_modules() == others; });
}

TEST_CASE("guest that is no module is refused with what is wrong with it", "[guests][wasm]") {
  served s(with_modules({module_of("/x", hostile)}));
  CHECK_THROWS_WITH(s.start(), Catch::Contains("/x") && Catch::Contains("hostile.so"));
}
