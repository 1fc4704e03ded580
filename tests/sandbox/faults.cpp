// Every fault of SANDBOX.md's table in a sandboxed process: the right outcome, the neighbour in
// flight unharmed, everything reaped.
#include <catch2/catch.hpp>
#include <csignal>

#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

struct fault {
  const char* target;
  outcome_kind kind;
  int signal = 0;
};
std::ostream& operator<<(std::ostream& to, const fault& one) {
  return to << one.target;
}

const fault deadly[] = {
    {"/null", outcome_kind::crashed, SIGSEGV},
    {"/wild", outcome_kind::crashed, SIGSEGV},
    {"/jump", outcome_kind::crashed, SIGSEGV},
    {"/division", outcome_kind::crashed, SIGFPE},
    {"/abort", outcome_kind::crashed, SIGABRT},
    {"/stack", outcome_kind::crashed, SIGSEGV},
    {"/exit", outcome_kind::crashed},
    {"/huge", outcome_kind::out_of_memory},
    {"/steps", outcome_kind::out_of_memory},
    {"/no-memory", outcome_kind::out_of_memory},
    {"/code", outcome_kind::protocol},
    {"/beyond", outcome_kind::protocol},
    {"/empty", outcome_kind::protocol},
    {"/bad-magic", outcome_kind::protocol},
    {"/bad-field-length", outcome_kind::protocol},
    {"/corrupt-numbers", outcome_kind::protocol},
    {"/corrupt-everything", outcome_kind::protocol},
    {"/ring-early", outcome_kind::protocol},
    {"/flood-doorbell", outcome_kind::protocol},
};

const fault survivable[] = {
    {"/throw", outcome_kind::exception},
    {"/throw-number", outcome_kind::exception},
    {"/failed", outcome_kind::exception},
    {"/too-large", outcome_kind::protocol},
};

// The neighbour sleeps in its handler meanwhile: it is there before and after.
void check_contained(const fault& one, bool kills) {
  const auto before = count_belongings();
  {
    house here;
    const auto both = here.add();
    here.settle(both);
    const auto with_all = count_belongings();
    const auto faulty = here.start(both, one.target);
    CHECK(text_of(here.ask(both, "/ok")) == "ok");
    const auto result = here.wait(faulty);
    CAPTURE(result.detail);
    CHECK(result.kind == one.kind);
    CHECK(result.signal == one.signal);
    CHECK(text_of(here.ask(both, "/ok")) == "ok");
    here.settle(both);
    CHECK(here.executor().count(both).faults == (kills ? 1 : 0));
    CHECK(count_belongings() == with_all);
  }
  CHECK(count_belongings() == before);
}

TEST_CASE("a fault of a guest ends its process and nothing else", "[sandbox][faults]") {
  const auto& one = GENERATE(from_range(std::begin(deadly), std::end(deadly)));
  CAPTURE(one);
  check_contained(one, true);
}

TEST_CASE("a fault that the worker survives ends its request alone", "[sandbox][faults]") {
  const auto& one = GENERATE(from_range(std::begin(survivable), std::end(survivable)));
  CAPTURE(one);
  check_contained(one, false);
}

TEST_CASE("an exception's text reaches the owner", "[sandbox][faults]") {
  house here;
  const auto result = here.ask(here.add(), "/throw");
  CHECK(result.detail == "thrown on purpose");
}

struct deed_and_site {
  const char* target;
  const char* program_counter;  // begins so
  const char* symbol;           // contains it
  const char* address;
};
std::ostream& operator<<(std::ostream& to, const deed_and_site& one) {
  return to << one.target;
}

const deed_and_site sites[] = {
    {"/null", "hostile.so+0x", "null_pointer", "0x0"},
    {"/wild", "hostile.so+0x", "wild_pointer", "0x5a5a5a5a5000"},
    {"/jump", "0x1000", "", "0x1000"},
    {"/division", "hostile.so+0x", "division", ""},
    // In a function that the object keeps to itself, on the stack for signals.
    {"/stack", "hostile.so+0x", "descend", "0x"},
    {"/abort", "libc.so.6+0x", "", ""},
};

TEST_CASE("a crash says where it was", "[sandbox][faults]") {
  const auto& one = GENERATE(from_range(std::begin(sites), std::end(sites)));
  CAPTURE(one);
  house here;
  const auto result = here.ask(here.add(), one.target);
  CAPTURE(result.site.program_counter, result.site.symbol, result.site.address);
  CHECK(result.kind == outcome_kind::crashed);
  CHECK(result.site.program_counter.starts_with(one.program_counter));
  CHECK(result.site.symbol.find(one.symbol) != std::string::npos);
  CHECK(result.site.address.starts_with(one.address));
  CHECK(result.site.address.empty() == std::string_view(one.address).empty());
}

TEST_CASE("a crash that lies about where it was is bounded", "[sandbox][faults]") {
  house here;
  const auto result = here.ask(here.add(), "/lie-about-death");
  CHECK(result.kind == outcome_kind::crashed);
  CHECK(result.signal == SIGABRT);
  CHECK(result.site.program_counter.starts_with("hostile.so+"));
  CHECK(result.site.program_counter.size() <= 80);
  CHECK(result.site.symbol.size() <= 256);
  CHECK(result.site.address.size() <= 24);
}

TEST_CASE("a guest that spins or sleeps is cut off at its wall deadline", "[sandbox][deadline]") {
  const auto* target = GENERATE("/loop", "/sleep");
  const auto before = count_belongings();
  {
    house here;
    auto settings = small();
    settings.wall_max = 200ms;
    const auto spinning = here.add(settings);
    const auto other = here.add();
    here.settle(spinning);
    const auto late = here.start(spinning, target);
    CHECK(text_of(here.ask(other, "/ok")) == "ok");
    const auto result = here.wait(late);
    CHECK(result.kind == outcome_kind::deadline);
    CHECK(result.budget == budget_kind::wall);
    CHECK(result.wall >= 200ms);
    here.settle(spinning);
  }
  CHECK(count_belongings() == before);
}

TEST_CASE("a CPU budget cuts off who spins and not who sleeps", "[sandbox][deadline]") {
  house here;
  auto settings = small();
  settings.cpu_max = 50ms;
  settings.wall_max = 1s;
  const auto both = here.add(settings);
  const auto sleeper = here.start(both, "/sleep");
  const auto spinner = here.wait(here.start(both, "/loop"));
  CHECK(spinner.kind == outcome_kind::deadline);
  CHECK(spinner.budget == budget_kind::cpu);
  CHECK(spinner.cpu >= 50ms);
  const auto slept = here.wait(sleeper);
  CHECK(slept.kind == outcome_kind::deadline);
  CHECK(slept.budget == budget_kind::wall);
}

TEST_CASE("an answer counts once and what comes after it ends the worker", "[sandbox][faults]") {
  house here;
  const auto id = here.add();
  here.settle(id);
  CHECK(text_of(here.ask(id, "/answer-twice")) == "first");
  here.until([&] { return here.executor().count(id).faults == 1; });
  here.settle(id);
  CHECK(text_of(here.ask(id, "/ok")) == "ok");
}

TEST_CASE("a guest that runs on after its answer is ended", "[sandbox][faults]") {
  house here;
  const auto id = here.add();
  here.settle(id);
  CHECK(text_of(here.ask(id, "/run-on")) == "ok");
  here.until([&] { return here.executor().count(id).faults == 1; });
  here.settle(id);
}

TEST_CASE("what many faults leave behind is nothing", "[sandbox][faults]") {
  house here;
  const auto id = here.add();
  here.settle(id);
  const auto before = count_belongings();
  for (int i = 0; i < 100; ++i) {
    const auto bad = here.start(id, i % 2 == 0 ? "/null" : "/abort");
    CHECK(text_of(here.ask(id, "/ok")) == "ok");
    CHECK(here.wait(bad).kind == outcome_kind::crashed);
  }
  here.settle(id);
  CHECK(count_belongings() == before);
}

}  // namespace
