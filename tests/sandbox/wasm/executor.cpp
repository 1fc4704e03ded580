// What the executor of modules promises besides containment.
#include "sandbox/wasm/executor.hpp"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <thread>

#include "sandbox/bulkhead_guest.h"
#include "tests/sandbox/wasm/room.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

TEST_CASE("one source answers the same octets from a module and a process", "[sandbox][wasm]") {
  const auto here = load(small_module(BULKHEAD_EXAMPLE_MODULE));
  house processes;
  const auto id = processes.add(small(BULKHEAD_EXAMPLE_GUEST));
  for (const auto* target : {"/hello", "/echo", "/headers", "/sum", "/absent"}) {
    CAPTURE(target);
    const auto from_module = ask(*here, target, "1 2 39");
    const auto from_process = processes.ask(id, target, "1 2 39");
    CHECK(from_module.kind == outcome_kind::response);
    CHECK(from_module.blob == from_process.blob);
    CHECK(from_module.log == from_process.log);
  }
}

TEST_CASE("an instance is as new for each request", "[sandbox][wasm]") {
  const auto here = load(small_module());
  const auto first = text_of(ask(*here, "/grow"));
  for (int i = 0; i < 3; ++i) {
    CHECK(text_of(ask(*here, "/count")) == "1");
    CHECK(text_of(ask(*here, "/grow")) == first);
    CHECK(text_of(ask(*here, "/echo", std::string(60'000, 'x'))) == std::string(60'000, 'x'));
    CHECK(text_of(ask(*here, "/room")) == "clean");
  }
  CHECK(here->count().idle == 1);
}

TEST_CASE("an instance keeps what the owner lets it keep", "[sandbox][wasm]") {
  auto settings = small_module();
  settings.reset_requests = GENERATE(0u, 2u);
  const auto here = load(settings);
  const bool for_ever = settings.reset_requests == 0;
  CHECK(text_of(ask(*here, "/count")) == "1");
  CHECK(text_of(ask(*here, "/count")) == "2");
  CHECK(text_of(ask(*here, "/count")) == (for_ever ? "3" : "1"));
  CHECK(ask(*here, "/failed").kind == outcome_kind::exception);
  CHECK(text_of(ask(*here, "/count")) == (for_ever ? "4" : "1"));
  CHECK(ask(*here, "/wild").kind == outcome_kind::trap);
  CHECK(text_of(ask(*here, "/count")) == "1");
}

TEST_CASE("a module is asked up to its limits and not beyond", "[sandbox][wasm]") {
  auto settings = small_module();
  settings.instances_max = 1;
  const auto here = load(settings);
  std::string content(64 << 10, 'x');
  CHECK(ask(*here, "/echo", content).kind == outcome_kind::overloaded);
  std::thread busy([&] { CHECK(ask(*here, "/library").kind == outcome_kind::response); });
  busy.join();
  settings.wall_max = 300ms;
  const auto slow = load(settings);
  std::thread sleeper([&] { CHECK(ask(*slow, "/sleep").kind == outcome_kind::deadline); });
  while (slow->count().busy == 0) std::this_thread::yield();
  CHECK(ask(*slow, "/ok").kind == outcome_kind::overloaded);
  sleeper.join();
  CHECK(text_of(ask(*slow, "/ok")) == "ok");
}

TEST_CASE("a module's log keeps whole lines up to its share", "[sandbox][wasm]") {
  const auto here = load(small_module());
  const auto result = ask(*here, "/log");
  CHECK(text_of(result) == "ok");
  CHECK(result.log.size() == 4096 / 101 * 101);
  CHECK(ask(*here, "/ok").log.empty());
}

TEST_CASE("a module sees its budgets and what a C library needs", "[sandbox][wasm]") {
  const auto here = load(small_module());
  CHECK(text_of(ask(*here, "/budgets")) == "sane");
  CHECK(text_of(ask(*here, "/library")) == "as usual");
}

TEST_CASE("a module rounds as everybody does", "[sandbox][wasm]") {
  CHECK(text_of(ask(*load(small_module()), "/numbers")) ==
        "-30- -20- -20- -20- -30- -20- -20- -20- 15+ \n"
        "-20- -10- -10- -20- -20- -10- -10- -20- 12+ \n"
        "-10- 0- 0- 0- -10- 0- 0- 0- 7+ \n"
        "0- 0- 0- 0- 0- 0- 0- 0- 0+ \n"
        "0+ 10+ 0+ 0+ 0+ 10+ 0+ 0+ 7+ \n"
        "10+ 20+ 10+ 20+ 10+ 20+ 10+ 20+ 12+ \n"
        "20+ 30+ 20+ 20+ 20+ 30+ 20+ 20+ 15+ \n"
        "45035996273704968+ 45035996273704968+ 45035996273704968+ 45035996273704968+ "
        "45035996273704960+ 45035996273704960+ 45035996273704960+ 45035996273704960+ "
        "671088640+ \n");
}

TEST_CASE("settings of a module that cannot be are refused with their names", "[sandbox][wasm]") {
  auto settings = small_module();
  settings.memory_bytes_max = std::size_t{4} << 30;
  CHECK(refusal_of(settings).find("memory_bytes_max") != std::string::npos);
  settings = small_module();
  settings.stack_bytes_max = 1;
  CHECK(refusal_of(settings).find("stack_bytes_max") != std::string::npos);
  settings = small_module("/no/such/module.wasm");
  CHECK(refusal_of(settings).find("/no/such/module.wasm: No such file") != std::string::npos);
}

}  // namespace
