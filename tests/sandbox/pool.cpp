// Queue, spare, recycling, cancelling, removing; what the executor promises its caller.
#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

TEST_CASE("the example guest answers each of its routes", "[sandbox][pool]") {
  house here;
  const auto id = here.add(small(BULKHEAD_EXAMPLE_GUEST));
  CHECK(text_of(here.ask(id, "/hello")) == "Hello from a sandbox!\n");
  CHECK(text_of(here.ask(id, "/echo", "same")) == "same");
  CHECK(text_of(here.ask(id, "/headers")) == "host: a.example\n");
  CHECK(text_of(here.ask(id, "/sum", "1 2 39")) == "42\n");
  const auto none = here.ask(id, "/absent");
  CHECK(text_of(none) == "no such route\n");
  CHECK(none.log == "no such route\n");
}

TEST_CASE("a request and a response may be as large as the handler allows", "[sandbox][pool]") {
  house here;
  auto settings = small();
  const auto id = here.add(settings);
  const auto overhead = blob_of("/echo").size();
  const std::string most(settings.request_bytes_max - overhead, 'c');
  CHECK(text_of(here.ask(id, "/echo", most)) == most);
  CHECK(here.ask(id, "/echo", most + "c").kind == outcome_kind::overloaded);
}

TEST_CASE("a guest learns its budgets and its log is cut at its bound", "[sandbox][pool]") {
  house here;
  const auto settings = small();
  const auto id = here.add(settings);
  CHECK(text_of(here.ask(id, "/budgets")) == "sane");
  const auto much = here.ask(id, "/log");
  CHECK(text_of(much) == "ok");
  CHECK(much.log.size() <= settings.log_bytes_max);
  CHECK(much.log.size() > settings.log_bytes_max - 102);
}

TEST_CASE("requests beyond workers and queue are overloaded", "[sandbox][pool]") {
  house here;
  auto settings = small();
  settings.workers = 1;
  settings.waiting_max = 2;
  settings.wall_max = 300ms;
  const auto id = here.add(settings);
  here.settle(id, 2);
  const auto runs = here.start(id, "/sleep");
  const auto waits = here.start(id, "/ok");
  here.start(id, "/ok");
  const auto refused = here.start(id, "/ok");
  REQUIRE(here.has(refused));
  CHECK(here.wait(refused).kind == outcome_kind::overloaded);
  CHECK(here.wait(runs).kind == outcome_kind::deadline);
  // It waited until its own deadline, or was given to the spare just before.
  here.wait(waits);
}

TEST_CASE("a cancelled request has no outcome", "[sandbox][pool]") {
  house here;
  auto settings = small();
  settings.workers = 1;
  settings.wall_max = 200ms;
  const auto id = here.add(settings);
  here.settle(id, 2);
  const auto runs = here.start(id, "/sleep");
  const auto waits = here.start(id, "/ok");
  here.executor().cancel(runs);
  here.executor().cancel(waits);
  here.until([&] { return here.executor().count(id).faults == 1; });
  CHECK_FALSE(here.has(runs));
  CHECK_FALSE(here.has(waits));
  CHECK(text_of(here.ask(id, "/ok")) == "ok");
}

TEST_CASE("a removed handler's requests are gone and so are its processes", "[sandbox][pool]") {
  house here;
  const auto none = count_belongings();
  const auto id = here.add();
  const auto runs = here.start(id, "/sleep");
  here.executor().remove(id, clock::now());
  CHECK(here.wait(runs).kind == outcome_kind::gone);
  CHECK(here.ask(id, "/ok").kind == outcome_kind::gone);
  here.until([&] { return count_belongings() == none; });
}

TEST_CASE("a worker is replaced after its number of requests", "[sandbox][pool]") {
  house here;
  auto settings = small();
  settings.workers = 1;
  settings.spares = 0;
  settings.recycle_requests = 3;
  const auto id = here.add(settings);
  std::string counts;
  for (int i = 0; i < 7; ++i) counts += text_of(here.ask(id, "/count"));
  CHECK(counts == "1231231");
  CHECK(here.executor().count(id).recycled == 2);
}

TEST_CASE("a worker that grows is replaced before it hits its limit", "[sandbox][pool]") {
  house here;
  auto settings = small();
  settings.workers = 1;
  settings.spares = 0;
  settings.recycle_growth_bytes = 4u << 20;
  const auto id = here.add(settings);
  for (int i = 0; i < 8; ++i) CHECK(text_of(here.ask(id, "/leak")) == "ok");
  here.until([&] { return here.executor().count(id).recycled == 1; });
  CHECK(text_of(here.ask(id, "/ok")) == "ok");
}

TEST_CASE("workers outlive the zygote and another one is started", "[sandbox][pool]") {
  house here;
  const auto id = here.add();
  here.settle(id);
  // The zygote is our first child.
  std::ifstream children("/proc/self/task/" + std::to_string(getpid()) + "/children");
  pid_t zygote = 0;
  children >> zygote;
  if (zygote <= 0) {
    WARN("this kernel does not list children: not tried");
    return;
  }
  kill(zygote, SIGKILL);
  CHECK(text_of(here.ask(id, "/ok")) == "ok");
  CHECK(here.ask(id, "/null").kind == outcome_kind::crashed);
  CHECK(here.ask(id, "/null").kind == outcome_kind::crashed);
  here.settle(id);
  CHECK(text_of(here.ask(id, "/ok")) == "ok");
}

TEST_CASE("an idle pool asks for nothing but its look at idle workers", "[sandbox][pool]") {
  house here;
  CHECK(here.executor().next_time() == clock::time_point::max());
  const auto id = here.add();
  here.settle(id);
  CHECK(here.executor().next_time() > clock::now());
  CHECK(here.executor().count(id).served == 0);
}

TEST_CASE("settings that make no sense are refused by their names", "[sandbox][pool]") {
  house here;
  auto settings = small();
  settings.workers = 0;
  CHECK(here.executor().add(settings, {}).error.find("workers") != std::string::npos);
  settings = small();
  settings.wall_max = 0s;
  CHECK(here.executor().add(settings, {}).error.find("deadline") != std::string::npos);
}

}  // namespace
