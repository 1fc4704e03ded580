// The broken handlers of examples/, each with what becomes of it.
#include <catch2/catch.hpp>
#include <csignal>

#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

struct broken_deed {
  const char* target;
  outcome_kind kind;
  int signal = 0;
};
std::ostream& operator<<(std::ostream& to, const broken_deed& one) {
  return to << one.target;
}

const broken_deed broken_deeds[] = {
    {"/broken/throw", outcome_kind::exception},
    {"/broken/throw-number", outcome_kind::exception},
    {"/broken/throw-deep", outcome_kind::exception},
    {"/broken/trap", outcome_kind::crashed, SIGILL},
    {"/broken/null", outcome_kind::crashed, SIGSEGV},
    {"/broken/wild", outcome_kind::crashed, SIGSEGV},
    {"/broken/division", outcome_kind::crashed, SIGFPE},
    {"/broken/abort", outcome_kind::crashed, SIGABRT},
    {"/broken/exit", outcome_kind::crashed},
    {"/broken/stack", outcome_kind::crashed, SIGSEGV},
    {"/broken/corrupt", outcome_kind::crashed, SIGABRT},
    {"/broken/loop", outcome_kind::deadline},
    {"/broken/host-calls", outcome_kind::deadline},
    {"/broken/sleep", outcome_kind::deadline},
    {"/broken/steps", outcome_kind::out_of_memory},
    {"/broken/huge", outcome_kind::out_of_memory},
    {"/broken/too-large", outcome_kind::protocol},
    {"/broken/wrong-length", outcome_kind::protocol},
    {"/broken/no-answer", outcome_kind::protocol},
    {"/broken/unknown-code", outcome_kind::protocol},
    {"/broken/bad-answer", outcome_kind::protocol},
};

handler_settings broken(bool is_endless = false) {
  auto settings = small(BULKHEAD_BROKEN_GUEST);
  settings.wall_max = is_endless ? 300ms : 20s;
  return settings;
}

TEST_CASE("each broken example ends as it should and its neighbour answers", "[sandbox][faults]") {
  const auto& one = GENERATE(from_range(std::begin(broken_deeds), std::end(broken_deeds)));
  CAPTURE(one);
  house here;
  const auto id = here.add(broken(one.kind == outcome_kind::deadline));
  here.settle(id);
  const auto faulty = here.start(id, one.target);
  CHECK(text_of(here.ask(id, "/broken/ok")) == "ok");
  const auto result = here.wait(faulty);
  CAPTURE(result.detail);
  CHECK(result.kind == one.kind);
  CHECK(result.signal == one.signal);
}

TEST_CASE("a broken example gets nothing from the system", "[sandbox][escape]") {
  const auto* target = GENERATE("/broken/fork", "/broken/descriptors", "/broken/read-file",
                                "/broken/write-file", "/broken/network", "/broken/exec");
  CAPTURE(target);
  house here;
  const auto result = here.ask(here.add(broken()), target);
  CHECK(result.kind == outcome_kind::response);
  CHECK(text_of(result).starts_with('E'));
}

TEST_CASE("a broken example may leak and talk", "[sandbox][faults]") {
  house here;
  const auto id = here.add(broken());
  for (const auto* target : {"/broken/leak", "/broken/log"})
    CHECK(text_of(here.ask(id, target)) == "ok");
}

}  // namespace
