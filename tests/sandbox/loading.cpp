// Objects that do harm while they are loaded, or cannot be loaded.
#include <catch2/catch.hpp>

#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

handler_settings at_load(const char* deed) {
  return small(guests + "at_load_" + deed + ".so");
}

// The handler never gets ready; another one does not notice; nothing is left behind.
void check_never_ready(const handler_settings& settings, const std::string& why) {
  const auto before = count_belongings();
  {
    house here;
    const auto good = here.add();
    const auto bad = here.add(settings);
    const auto result = here.ask(bad, "/");
    CHECK(result.kind == outcome_kind::gone);
    CAPTURE(result.detail);
    CHECK(result.detail.find(why) != std::string::npos);
    CHECK(text_of(here.ask(good, "/ok")) == "ok");
    CHECK(here.executor().count(bad).idle == 0);
    // It is tried again, ever more rarely, and refused at once meanwhile.
    CHECK(here.ask(bad, "/").kind == outcome_kind::gone);
  }
  CHECK(count_belongings() == before);
}

TEST_CASE("an object that crashes while it is loaded never gets ready", "[sandbox][load]") {
  check_never_ready(at_load("crash"), "by signal 11 at at_load_crash.so+0x");
  check_never_ready(at_load("crash"), "act");
}

TEST_CASE("an object that exits while it is loaded never gets ready", "[sandbox][load]") {
  check_never_ready(at_load("exit"), "with code 7");
}

TEST_CASE("an object that throws while it is loaded never gets ready", "[sandbox][load]") {
  check_never_ready(at_load("throw"), "by signal 6");
}

TEST_CASE("an object that spins while it is loaded is cut off", "[sandbox][load]") {
  auto settings = at_load("loop");
  settings.load_max = 200ms;
  check_never_ready(settings, "not loaded in time");
}

TEST_CASE("an object without a handler never gets ready", "[sandbox][load]") {
  check_never_ready(at_load("no_handler"), "bulkhead_handle");
}

TEST_CASE("a file that is no object never gets ready", "[sandbox][load]") {
  check_never_ready(small("/etc/passwd"), "");
}

TEST_CASE("a file that is not there is refused with its name", "[sandbox][load]") {
  house here;
  const auto added = here.executor().add(small("/no/such/object.so"), {});
  CHECK(added.value == 0);
  CHECK(added.error.find("/no/such/object.so") != std::string::npos);
}

TEST_CASE("an object that is slow to load serves once it is there", "[sandbox][load]") {
  house here;
  CHECK(text_of(here.ask(here.add(at_load("patient")), "/")) == "loaded");
}

TEST_CASE("a constructor is in the sandbox already", "[sandbox][load]") {
  house here;
  const auto held = here.executor().held();
  if (held.has(layer::seccomp)) {
    CHECK(text_of(here.ask(here.add(at_load("fork")), "/")) == "EPERM");
    CHECK(text_of(here.ask(here.add(at_load("connect")), "/")) == "EPERM");
  }
  if (held.has(layer::own_root) || held.has(layer::landlock))
    CHECK(text_of(here.ask(here.add(at_load("read_file")), "/")) != "succeeded");
}

TEST_CASE("a constructor that evades the second filter stays behind the first", "[sandbox][load]") {
  house here;
  const auto held = here.executor().held();
  if (!held.has(layer::seccomp)) return;
  const auto id = here.add(at_load("own_filter"));
  REQUIRE(text_of(here.ask(id, "/")) == "succeeded");
  CHECK(text_of(here.ask(id, "/fork")) == "EPERM");
  if (held.has(layer::own_root) || held.has(layer::landlock))
    CHECK(text_of(here.ask(id, "/open")) != "succeeded");
}

}  // namespace
