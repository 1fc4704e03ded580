// Histogram, trend, recorder and schedule: what a verdict is made of.
#include <catch2/catch.hpp>
#include <chrono>

#include "faults/handler_counts.hpp"
#include "faults/histogram.hpp"
#include "faults/metrics_reader.hpp"
#include "faults/process_tree.hpp"
#include "faults/random.hpp"
#include "faults/recorder.hpp"
#include "faults/schedule.hpp"
#include "faults/trend.hpp"
#include "faults/verdict.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace bulkhead::faults;
using namespace std::chrono_literals;

TEST_CASE("histogram: a quantile is the value or at most 1/64 above it", "[faults]") {
  random_source random(1);
  for (int round = 0; round < 1000; ++round) {
    const auto value = std::chrono::nanoseconds(random.next() >> (2 + random.below(61)));
    histogram one;
    one.add(value);
    one.add(std::chrono::nanoseconds::max());  // so that it is not the highest
    const auto found = one.quantile(0.5);
    CAPTURE(value.count());
    CHECK(found >= value);
    CHECK(found - value <= value / 64);
  }
}

TEST_CASE("histogram: quantiles count from the lowest value", "[faults]") {
  histogram all;
  CHECK(all.quantile(0.5) == 0ns);
  for (int i = 1; i <= 60; ++i) all.add(std::chrono::nanoseconds(i));
  CHECK(all.quantile(0) == 1ns);
  CHECK(all.quantile(0.5) == 30ns);
  CHECK(all.quantile(0.99) == 60ns);
  CHECK(all.quantile(1) == 60ns);
  all.add(-5ns);
  CHECK(all.quantile(0) == 0ns);
}

TEST_CASE("histogram: two added are as one", "[faults]") {
  histogram low, high;
  low.add(10ns);
  high.add(1s);
  low.add(high);
  CHECK(low.count() == 2);
  CHECK(low.max() == 1s);
  CHECK(low.quantile(0.5) == 10ns);
}

TEST_CASE("growth: even slopes and one odd reading", "[faults]") {
  CHECK(growth({}) == 0);
  CHECK(growth({5}) == 0);
  CHECK(growth({1, 3}) == 2);
  CHECK(growth({1, 2, 3, 4, 5}) == 4);
  CHECK(growth({7, 7, 7, 100, 7, 7, 7}) == 0);
  CHECK(growth({5, 4, 3}) == -2);
}

TEST_CASE("schedule: a seed gives the same and another one something else", "[faults]") {
  const std::vector<fault> faults{{.kind = "garbage", .count = 50},
                                  {.kind = "stalled-head", .standing = 9},
                                  {.kind = "half-close", .rate = 20}};
  const auto one = make_schedule(faults, 3, 1, 2s);
  CHECK(one == make_schedule(faults, 3, 1, 2s));
  CHECK(one != make_schedule(faults, 4, 1, 2s));
  CHECK(one != make_schedule(faults, 3, 2, 2s));
  REQUIRE(one.size() == 90);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].at < 2s);
    CHECK(one[i].fault != 1);
    if (i > 0) CHECK(one[i - 1].at <= one[i].at);
  }
}

TEST_CASE("schedule: numbers are the same on every machine", "[faults]") {
  random_source random(0);
  CHECK(random.next() == 0xe220a8397b1dcdaf);  // the published first output for this seed
}

TEST_CASE("recorder: latency begins when a request was due", "[faults]") {
  const recorder::time_point begin{};
  recorder all(begin);
  all.enter(1, phase::faults);
  all.add(loop::open, all.now(), begin + 1s, begin + 4s, mishap::none, "");
  all.add(loop::open, all.now(), begin + 2s, begin + 4s, mishap::lost, "GET /: closed");
  const auto figures = all.figures();
  CHECK(figures.requests == 2);
  CHECK(figures.lost == 1);
  CHECK(figures.samples == std::vector<std::string>{"GET /: closed"});
  CHECK(figures.latency[1][1].max() == 3s);
  CHECK(figures.batches.at(1).of[1].count() == 1);
  CHECK(figures.seconds.at(1).latency.max() == 3s);
  CHECK(figures.seconds.at(2).mishaps == 1);
}

TEST_CASE("recorder: right answers in a row end with a slow one", "[faults]") {
  const recorder::time_point begin{};
  recorder all(begin);
  CHECK(all.in_a_row(1s) == 0);
  const auto add = [&](std::chrono::milliseconds took, mishap how) {
    all.add(loop::closed, all.now(), begin, begin + took, how, "");
  };
  add(1ms, mishap::none);
  add(1s, mishap::none);
  CHECK(all.in_a_row(1s) == 2);
  add(1001ms, mishap::none);
  CHECK(all.in_a_row(1s) == 0);
  add(1ms, mishap::none);
  add(1ms, mishap::wrong);
  CHECK(all.in_a_row(1s) == 0);
}

soak_result fine_run() {
  soak_result run;
  run.has_own_server = true;
  run.exit_code = 0;
  run.completions = {10, 10, 0};
  run.at_rest = tree_figures{.processes = 2};
  run.handlers = {{"/x/{deed}", "crashed", 3, 3}};
  run.faults.resize(1);
  for (int i = 0; i < 4; ++i) {
    auto& one = run.batches.emplace_back();
    one.recovery_ms = 1;
    one.holds = tree_figures{.resident_kib = 1000, .descriptors = 10, .threads = 5, .processes = 2};
  }
  return run;
}

TEST_CASE("verdict: each bound can break", "[faults]") {
  const bounds accepted;
  CHECK(all_hold(judge(fine_run(), accepted)));
  const auto breaks = [&](auto spoil) {
    auto run = fine_run();
    spoil(run);
    return !all_hold(judge(run, accepted));
  };
  CHECK(breaks([](auto& run) { run.healthy.lost = 1; }));
  CHECK(breaks([](auto& run) { run.healthy.wrong = 1; }));
  CHECK(breaks([](auto& run) { run.healthy.disturbed = 1; }));
  CHECK(breaks([](auto& run) { run.faults[0].unexpected = 1; }));
  CHECK(breaks([](auto& run) { run.batches[2].recovery_ms.reset(); }));
  CHECK(breaks([](auto& run) { run.batches[2].recovery_ms = 10'001; }));
  CHECK(breaks([](auto& run) { run.completions->delivered = 9; }));
  CHECK(breaks([](auto& run) { run.completions->outstanding = 1; }));
  CHECK(breaks([](auto& run) { run.exit_code = 1; }));
  CHECK(breaks([](auto& run) { run.exit_code.reset(); }));
  CHECK(breaks([](auto& run) { run.interrupted = true; }));
  CHECK(breaks([](auto& run) { run.died_in = 0; }));
  CHECK(breaks([](auto& run) { run.at_rest->processes = 3; }));
  CHECK(breaks([](auto& run) { run.at_rest->processes = 1; }));
  CHECK(breaks([](auto& run) { run.handlers[0].counted = 2; }));
  CHECK(breaks([](auto& run) { run.handlers[0].counted = 4; }));
  const auto grows = [&](auto member, std::uint64_t step) {
    return breaks([&](auto& run) {
      for (std::size_t i = 0; i < 4; ++i) (*run.batches[i].holds).*member += i * step;
    });
  };
  CHECK(grows(&tree_figures::resident_kib, 9000));
  CHECK(grows(&tree_figures::descriptors, 5));
  CHECK(grows(&tree_figures::threads, 9));
  CHECK(grows(&tree_figures::processes, 1));
  // The first batch warms up.
  CHECK_FALSE(breaks([](auto& run) { run.batches[0].holds->resident_kib = 1; }));
}

TEST_CASE("verdict: the ratio is the median of the batches", "[faults]") {
  healthy_figures healthy;
  CHECK(p99_ratio(healthy) == 0);
  for (const auto with : {1ms, 2ms, 50ms}) {
    auto& one = healthy.batches.emplace_back();
    one.of[0].add(1ms);
    one.of[1].add(with);
  }
  CHECK(p99_ratio(healthy) == Approx(2).epsilon(0.02));
}

TEST_CASE("metrics: values by name and label", "[faults]") {
  const auto all =
      parse_metrics("# HELP a text\n# TYPE a counter\na{reason=\"b c\"} 3\nempty\nd 1.5e3\nlast 7");
  CHECK(value_of(all, "a{reason=\"b c\"}") == 3);
  CHECK(value_of(all, "d") == 1500);
  CHECK(value_of(all, "last") == 7);
  CHECK(value_of(all, "absent") == 0);
}

TEST_CASE("outcomes: each handler's own are counted whoever caused them", "[faults]") {
  const auto told = parse_metrics(R"(
bulkhead_guest_requests_total{handler="/x/{deed}",outcome="crashed"} 4
bulkhead_guest_requests_total{handler="/x/{deed}",outcome="response"} 9
bulkhead_guest_requests_total{handler="/y",outcome="deadline"} 1
bulkhead_guest_requests_total{handler="/y",outcome="trap"} 0)");
  const std::vector<fault> faults{{.target = "/x/a", .outcome = "crashed"},
                                  {.target = "/x/b", .outcome = "crashed"},
                                  {.target = "/x/c"},
                                  {.target = "/x/d", .outcome = "trap"}};
  const std::vector<fault_figures> figures{
      {.injected = 1}, {.injected = 2}, {.injected = 4}, {.injected = 8}};
  const auto all = count_outcomes({{.path = "/x/{deed}"}, {.path = "/y"}}, faults, figures, told);
  REQUIRE(all.size() == 3);
  CHECK(all[0].outcome == "crashed");
  CHECK(all[0].injected == 3);
  CHECK(all[0].counted == 4);
  CHECK(all[1].outcome == "trap");
  CHECK(all[1].injected == 8);
  CHECK(all[1].counted == 0);
  CHECK(all[2].handler == "/y");
  CHECK(all[2].injected == 0);
  CHECK(all[2].counted == 1);
}

TEST_CASE("process tree: this process has something and an absent one nothing", "[faults]") {
  const auto self = read_tree(::getpid());
  REQUIRE(self);
  CHECK(self->processes == 1);
  CHECK(self->threads >= 1);
  CHECK(self->descriptors >= 3);
  CHECK(self->resident_kib > 0);
  CHECK_FALSE(read_tree(1 << 30));
  CHECK(is_alive(::getpid()));
  CHECK_FALSE(is_alive(1 << 30));
}

TEST_CASE("process tree: who has ended and was not waited for is not alive", "[faults]") {
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(0);
  siginfo_t told{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &told, WEXITED | WNOWAIT) == 0);
  CHECK_FALSE(is_alive(child));
  CHECK(::waitpid(child, nullptr, 0) == child);
}

}  // namespace
