// Every fault of the guest in a module: the right outcome, neighbours on other threads unharmed,
// nothing left behind.
#include <catch2/catch.hpp>

#include "tests/sandbox/wasm/room.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

struct wasm_fault {
  const char* target;
  outcome_kind kind;
  const char* detail = "";  // what it contains
};
std::ostream& operator<<(std::ostream& to, const wasm_fault& one) {
  return to << one.target;
}

const wasm_fault deadly[] = {
    {"/wild", outcome_kind::trap, "access out of bounds in"},
    {"/beyond-memory", outcome_kind::trap, "access out of bounds in"},
    {"/last-address", outcome_kind::trap, "address 0xfffffffc"},
    {"/jump", outcome_kind::trap, "indirect call"},
    {"/division", outcome_kind::trap, "division by zero in"},
    {"/overflow", outcome_kind::trap, "integer overflow in"},
    {"/abort", outcome_kind::trap, "unreachable in"},
    {"/throw", outcome_kind::trap, "unreachable in"},
    {"/exit", outcome_kind::trap, "exit with code 0"},
    // Its own stack in linear memory; and that of the translated code.
    {"/stack", outcome_kind::trap, "access out of bounds in"},
    {"/call-down", outcome_kind::trap, "stack exhausted in"},
    {"/log-beyond", outcome_kind::trap, "access out of bounds in an import"},
    {"/log-far", outcome_kind::trap, "access out of bounds in an import"},
    {"/huge", outcome_kind::out_of_memory},
    {"/steps", outcome_kind::out_of_memory},
    {"/no-memory", outcome_kind::out_of_memory},
    {"/code", outcome_kind::protocol},
    {"/beyond", outcome_kind::protocol},
    {"/empty", outcome_kind::protocol},
    {"/bad-magic", outcome_kind::protocol},
    {"/bad-field-length", outcome_kind::protocol},
};

const wasm_fault survivable[] = {
    {"/failed", outcome_kind::exception},
    {"/too-large", outcome_kind::protocol, "larger than the handler may answer"},
};

void check_contained(const wasm_fault& one, bool is_fault) {
  const auto before = count_holdings();
  {
    const auto here = load(small_module());
    neighbours others(*here);
    const auto result = ask(*here, one.target);
    CAPTURE(result.detail);
    CHECK(result.kind == one.kind);
    CHECK(result.detail.find(one.detail) != std::string::npos);
    CHECK(result.blob.empty());
    CHECK(text_of(ask(*here, "/ok")) == "ok");
    CHECK(others.were_undisturbed());
    CHECK(here->count().faults == (is_fault ? 1 : 0));
    CHECK(here->count().busy == 0);
  }
  CHECK(count_holdings() == before);
}

TEST_CASE("a fault of a module ends its instance and nothing else", "[sandbox][wasm][B104][B109]") {
  const auto& one = GENERATE(from_range(std::begin(deadly), std::end(deadly)));
  CAPTURE(one);
  check_contained(one, true);
}

TEST_CASE("a module that gives up ends its request alone", "[sandbox][wasm]") {
  const auto& one = GENERATE(from_range(std::begin(survivable), std::end(survivable)));
  CAPTURE(one);
  check_contained(one, false);
}

TEST_CASE("a module that does not end is cut off at its wall deadline", "[sandbox][wasm][B109]") {
  const auto* target = GENERATE("/loop", "/sleep", "/log-loop", "/clock-loop", "/grow-loop",
                                "/fill-loop", "/overwrite");
  CAPTURE(target);
  const auto before = count_holdings();
  {
    const auto here = load(small_module());
    auto settings = small_module();
    settings.wall_max = 50ms;
    const auto short_lived = load(settings);
    neighbours others(*here);
    const auto result = ask(*short_lived, target);
    CHECK(result.kind == outcome_kind::deadline);
    CHECK(result.budget == budget_kind::wall);
    CHECK(result.wall >= 50ms);
    CHECK(text_of(ask(*short_lived, "/ok")) == "ok");
    CHECK(others.were_undisturbed());
    CHECK(short_lived->count().faults == 1);
  }
  CHECK(count_holdings() == before);
}

TEST_CASE("a CPU budget cuts off a module that spins and not one that sleeps", "[sandbox][wasm]") {
  auto settings = small_module();
  settings.cpu_max = 30ms;
  settings.wall_max = 5s;
  const auto spinner = load(settings);
  const auto spun = ask(*spinner, "/loop");
  CHECK(spun.kind == outcome_kind::deadline);
  CHECK(spun.budget == budget_kind::cpu);
  CHECK(spun.cpu >= 30ms);
  // Far more than it takes to make an instance, and far less than it sleeps.
  settings.cpu_max = 500ms;
  settings.wall_max = 2s;
  const auto sleeper = load(settings);
  CHECK(ask(*sleeper, "/sleep").budget == budget_kind::wall);
}

TEST_CASE("a module may write where its null points to", "[sandbox][wasm]") {
  CHECK(text_of(ask(*load(small_module()), "/null")).empty());
}

TEST_CASE("a trap says where it was", "[sandbox][wasm]") {
  const auto here = load(small_module());
  CHECK(ask(*here, "/wild").detail.find("wild_pointer") != std::string::npos);
  CHECK(ask(*here, "/division").detail.find("division_") != std::string::npos);
  CHECK(ask(*here, "/abort").detail.find("give_up") != std::string::npos);
  const auto wild = ask(*here, "/wild").site;
  CHECK(wild.symbol.find("wild_pointer") != std::string::npos);
  CHECK(wild.program_counter.starts_with("module+0x"));
  CHECK(wild.address == "0x5a5a5000");
}

TEST_CASE("what many faults of modules leave behind is nothing", "[sandbox][wasm]") {
  const auto here = load(small_module());
  CHECK(text_of(ask(*here, "/ok")) == "ok");
  const auto before = count_holdings();
  for (int i = 0; i < 300; ++i) {
    CHECK(ask(*here, i % 2 == 0 ? "/wild" : "/call-down").kind == outcome_kind::trap);
    CHECK(text_of(ask(*here, "/ok")) == "ok");
  }
  CHECK(count_holdings() == before);
  CHECK(here->count().faults == 300);
}

}  // namespace
