// Handlers of the guest interface in the server itself, over sockets.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/actors/guest_handlers.hpp"
#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

TEST_CASE("guest in the server gives the same octets as in a process", "[guests][inline]") {
  served s(with({inline_of("/{deed}", example)}, 2));
  served other(with({handler_of("/{deed}", example)}));
  client in_server(s.start());
  client in_process(other.start());
  for (const auto& each : {get("/hello"), get("/headers", "X-One: 1\r\n"), get("/nowhere"),
                           post("/sum", "1 2 39"), post("/echo", std::string(100'000, 'x'))})
    CHECK(without_date(in_server.ask(each)) == without_date(in_process.ask(each)));
}

TEST_CASE("guest in the server throws and lies at its own request's cost", "[guests][inline]") {
  auto one = inline_of("/{deed}", hostile);
  one.response_bytes = 64 << 10;
  one.breaker_faults = 0;
  served s(with({one}));
  client c(s.start());
  CHECK(status_of(c.ask(get("/throw"))) == 500);
  CHECK(status_of(c.ask(get("/throw-number"))) == 500);
  CHECK(status_of(c.ask(get("/failed"))) == 500);
  CHECK(status_of(c.ask(get("/no-memory"))) == 503);
  CHECK(status_of(c.ask(get("/too-large"))) == 502);
  CHECK(status_of(c.ask(get("/bad-magic"))) == 502);
  CHECK(status_of(c.ask(get("/code"))) == 502);
  CHECK(content_of(c.ask(get("/budgets"))) == "sane");
  CHECK(content_of(c.ask(get("/ok"))) == "ok");
  CHECK(s.count(reason::exception) == 3);
  CHECK(s.count(reason::out_of_memory) == 1);
  CHECK(s.count(reason::bad_response) == 3);
}

TEST_CASE("guest in the server that does not return is answered for at its wall time",
          "[guests][inline]") {
  const temporary_folder folder;
  auto patient = inline_of("/{deed}", BULKHEAD_GUESTS "patient.so");
  patient.concurrency = 1;
  patient.queue_wait = 20ms;
  patient.wall = 100ms;
  served s(with({patient, inline_of("/e/{deed}", example)}));
  const auto address = s.start();
  client c(address);
  const auto gate = folder.file("gate");
  c.send(post("/wait", gate));
  // On the same reactor.
  CHECK(status_of(client(address).ask(get("/e/hello"))) == 404);
  const auto late = c.answer();
  CHECK(status_of(late) == 504);
  CHECK_THAT(late, Catch::Contains("Connection: close"));
  CHECK(s.count(reason::budget_exceeded) == 1);
  // Its place is free when it has returned.
  CHECK(status_of(client(address).ask(get("/ok"))) == 503);
  std::ofstream{gate};
  client other(address);
  wait_until([&] { return status_of(other.ask(get("/ok"))) == 200; });
}

TEST_CASE("guest in the server is replaced while its old object is called", "[guests][reload]") {
  const temporary_folder folder;
  const auto file = folder.file("handler.so");
  std::filesystem::copy_file(BULKHEAD_GUESTS "patient.so", file);
  auto settings = with({inline_of("/{deed}", file)});
  served s(settings);
  const auto address = s.start();
  client c(address);
  CHECK(content_of(c.ask(get("/ok"))) == "ok");
  client in_old(address);
  const auto begun = folder.file("begun");
  const auto gate = folder.file("gate");
  in_old.send(post("/wait", gate, "X-Begun: " + begun + "\r\n"));
  wait_until([&] { return std::filesystem::exists(begun); });
  // The same name, in the same place.
  std::filesystem::remove(file);
  std::filesystem::copy_file(example, file);
  CHECK(s->reload(settings).empty());
  CHECK(content_of(c.ask(get("/hello"))) == "Hello from a sandbox!\n");
  std::ofstream{gate};
  CHECK(content_of(in_old.answer()) == "waited");
  // What can't be loaded changes nothing.
  std::ofstream(file, std::ios::trunc) << "no object";
  CHECK_THROWS_WITH(s->reload(settings), Catch::Contains("handler.so"));
  CHECK(content_of(c.ask(get("/hello"))) == "Hello from a sandbox!\n");
}
