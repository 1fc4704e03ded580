#include "faults/scenario.hpp"

#include <catch2/catch.hpp>

#include "faults/builtin.hpp"
#include "faults/guests.hpp"
#include "faults/kinds.hpp"

namespace {

using namespace bulkhead::faults;
using namespace std::chrono_literals;

std::string fault_of(const std::string& text) {
  try {
    parse_scenario("s.toml", text);
  } catch (const scenario_error& wrong) {
    return wrong.what();
  }
  return "none";
}

TEST_CASE("scenario: everything that it says is taken", "[faults][scenario]") {
  const auto all = parse_scenario("s", R"(
about = "x"
duration_s = 5
batches = 3
[server]
options = ["--threads", "1"]
descriptors_max = 100
[[healthy]]
method = "POST"
target = "/echo"
status = 201
send_bytes = 7
tls = true
clients = 2
rate = 1.5
[[fault]]
kind = "request"
target = "/throw"
expect = [500, 0]
count = 4
[bounds]
lost = 2
recovery_ms = "any"
p99_ratio = 1.5
)");
  CHECK(all.duration == 5s);
  CHECK(all.batches == 3);
  CHECK(all.server_options == std::vector<std::string>{"--threads", "1"});
  CHECK(all.server_descriptors_max == 100);
  REQUIRE(all.healthy.size() == 1);
  CHECK(all.healthy[0].method == "POST");
  CHECK(all.healthy[0].status == 201);
  CHECK(all.healthy[0].send_bytes == 7);
  CHECK(all.healthy[0].tls);
  CHECK(all.healthy[0].clients == 2);
  CHECK(all.healthy[0].rate == 1.5);
  REQUIRE(all.faults.size() == 1);
  CHECK(all.faults[0].expect == std::vector<int>{500, 0});
  CHECK(all.faults[0].count == 4);
  CHECK(all.accepted.lost == 2u);
  CHECK_FALSE(all.accepted.recovery_ms);
  CHECK(all.accepted.p99_ratio == 1.5);
  CHECK(all.accepted.wrong == 0u);
}

TEST_CASE("scenario: handlers with what they are told and one fault a target",
          "[faults][scenario]") {
  const auto all = parse_scenario("s.toml", R"([[healthy]]
[server.files]
hello = "Hi"
[[handler]]
path = "/x/{deed}"
file = "/no/such.so"
run = "process"
wall_ms = 7
[[fault]]
kind = "request"
targets = ["/x/a", "/x/b"]
outcome = "crashed"
count = 2
)");
  CHECK(all.files == std::map<std::string, std::string>{{"hello", "Hi"}});
  REQUIRE(all.handlers.size() == 1);
  CHECK(all.handlers[0].path == "/x/{deed}");
  CHECK_THROWS_WITH(settings_of_handlers(all, {}),
                    "s.toml:4: handler '/x/{deed}': there is no /no/such.so; --guests names the "
                    "folder that has /no/such.so");
  auto found = all;
  found.handlers[0].file = "exe";
  const auto settings = settings_of_handlers(found, "/proc/self");
  CHECK_THAT(settings, Catch::StartsWith("[[handler]]\npath = \"/x/{deed}\"\n"
                                         "file = \"/proc/self/exe\"\n"));
  CHECK_THAT(settings, Catch::Contains("wall_ms = 7") && Catch::Contains("run = "));
  REQUIRE(all.faults.size() == 2);
  CHECK(all.faults[0].target == "/x/a");
  CHECK(all.faults[1].target == "/x/b");
  CHECK(all.faults[1].outcome == "crashed");
  CHECK(all.faults[1].count == 2);
}

TEST_CASE("scenario: what is wrong is named with its line", "[faults][scenario]") {
  CHECK(fault_of("[[healthy]]\n") == "none");
  CHECK(fault_of("") == "s.toml:1: there is no [[healthy]]");
  CHECK(fault_of("a = 1\n") == "s.toml:1: a: unknown key");
  CHECK(fault_of("[[healthy]]\n\ncolour = 1\n") == "s.toml:3: healthy.colour: unknown key");
  CHECK(fault_of("\n[bounds]\nlost = -1\n") ==
        "s.toml:3: bounds.lost: neither a number from 0 on nor \"any\"");
  CHECK(fault_of("batches = 0\n") == "s.toml:1: batches: not a whole number from 1 to 10000");
  CHECK(fault_of("batches = \"4\"\n") == "s.toml:1: batches: not a whole number from 1 to 10000");
  CHECK(fault_of("[[fault]]\nkind = \"swim\"\ncount = 1\n") ==
        "s.toml:2: fault.kind: unknown kind 'swim'");
  CHECK(fault_of("[[fault]]\nkind = \"garbage\"\n") ==
        "s.toml:2: fault.kind: wants one of count, rate and standing");
  CHECK(fault_of("[[fault]]\nkind = \"garbage\"\ncount = 1\nrate = 1\n") ==
        "s.toml:2: fault.kind: wants one of count, rate and standing");
  CHECK(fault_of("[[fault]]\nkind = \"request\"\ncount = 1\n") ==
        "s.toml:1: fault.target: does not begin with /");
  CHECK(fault_of("[[fault]]\nkind = \"garbage\"\nexpect = [600]\ncount = 1\n") ==
        "s.toml:3: fault.expect: not an array of statuses, or 0 for no answer");
  CHECK(fault_of("[[fault]]\nkind = \"garbage\"\noutcome = \"joy\"\ncount = 1\n") ==
        "s.toml:3: fault.outcome: there is no outcome 'joy'");
  CHECK(fault_of("[[fault]]\nkind = \"request\"\ntargets = [\"/a\", \"b\"]\ncount = 1\n") ==
        "s.toml:3: fault.targets: does not begin with /");
  CHECK(fault_of("[[handler]]\npath = \"x\"\n") == "s.toml:2: handler.path: does not begin with /");
  CHECK(fault_of("[[handler]]\npath = \"/x\"\n") == "s.toml:1: handler.file: there is none");
  CHECK(fault_of("[server.files]\na = 1\n") == "s.toml:2: files.a: not a string");
  CHECK(fault_of("[healthy]\n") == "s.toml:1: healthy: not an array of tables, [[healthy]]");
  CHECK(fault_of("about = \"\nx").starts_with("s.toml:1: "));
}

TEST_CASE("scenario: bounds can be given one by one", "[faults][scenario]") {
  const auto one = parse_bounds("--bound", "lost=7", {});
  const auto two = parse_bounds("--bound", "wrong=\"any\"", one);
  CHECK(two.lost == 7u);
  CHECK_FALSE(two.wrong);
  CHECK(two.disturbed == 0u);
  CHECK_THROWS_WITH(parse_bounds("--bound", "lost", {}), Catch::StartsWith("--bound:1: "));
  CHECK_THROWS_WITH(parse_bounds("--bound", "colour=1", {}), "--bound:1: colour: unknown key");
}

TEST_CASE("scenario: those that are built in are sound", "[faults][scenario]") {
  CHECK(builtin_scenarios().size() >= 9);
  for (const auto& one : builtin_scenarios()) {
    CAPTURE(one.name);
    CHECK_FALSE(load_scenario(std::string(one.name)).about.empty());
  }
  CHECK_THROWS_WITH(load_scenario("no-such"),
                    Catch::Contains("no-such: no such file") && Catch::Contains("mixed-traps"));
  CHECK_THROWS_WITH(load_scenario("/dev/zero"), "/dev/zero: larger than 1 MiB");
}

TEST_CASE("scenario: the one with everything has every kind", "[faults][scenario]") {
  const auto all = load_scenario("everything");
  for (const auto& kind : fault_kinds()) {
    CAPTURE(kind.name);
    CHECK(std::any_of(all.faults.begin(), all.faults.end(),
                      [&](const fault& one) { return one.kind == kind.name; }));
  }
}

}  // namespace
