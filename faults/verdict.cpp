#include "faults/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "faults/trend.hpp"

namespace bulkhead::faults {
namespace {

std::string text_of(double number) {
  std::array<char, 40> room{};
  const bool whole = number == std::floor(number);
  std::snprintf(room.data(), room.size(), whole ? "%.0f" : "%.2f", number);
  return room.data();
}

template <class Number>
check at_most(std::string what, double found, const std::optional<Number>& bound,
              const std::string& unit = {}) {
  const auto limit = bound ? "at most " + text_of(static_cast<double>(*bound)) + unit : "any";
  return {std::move(what), text_of(found) + unit, limit,
          !bound || found <= static_cast<double>(*bound)};
}

check is_true(std::string what, bool holds, std::string found) {
  return {std::move(what), std::move(found), "yes", holds};
}

std::uint64_t unexpected_in(const soak_result& run) {
  std::uint64_t sum = 0;
  for (const auto& one : run.faults) sum += one.unexpected;
  return sum;
}

check recovery_check(const soak_result& run, const bounds& accepted) {
  double slowest = 0;
  for (const auto& one : run.batches) {
    if (!one.recovery_ms) return is_true("recovered after each batch", false, "no");
    slowest = std::max(slowest, *one.recovery_ms);
  }
  return at_most("slowest recovery", std::round(slowest), accepted.recovery_ms, " ms");
}

void add_growth(std::vector<check>& to, const soak_result& run, const bounds& accepted) {
  const auto more = grown(run.batches);
  if (!more) return;
  to.push_back(
      at_most("memory gained", std::round(more->resident_kib), accepted.memory_growth_kib, " KiB"));
  to.push_back(at_most("descriptors gained", more->descriptors, accepted.descriptors_growth));
  to.push_back(at_most("threads gained", more->threads, accepted.threads_growth));
  to.push_back(at_most("processes gained", more->processes, accepted.processes_growth));
}

void add_processes(std::vector<check>& to, const soak_result& run, const bounds& accepted) {
  if (!run.at_rest) return;
  std::uint64_t most = 0;
  for (const auto& one : run.batches)
    if (one.holds) most = std::max(most, processes_changed(*run.at_rest, *one.holds));
  to.push_back(at_most("processes more or fewer than before", static_cast<double>(most),
                       accepted.processes_changed));
}

void add_handlers(std::vector<check>& to, const soak_result& run) {
  for (const auto& one : run.handlers)
    to.push_back({"counted at " + one.handler + ": " + one.outcome, std::to_string(one.counted),
                  std::to_string(one.injected) + ", as injected", one.counted == one.injected});
}

void add_end(std::vector<check>& to, const soak_result& run) {
  if (const auto& all = run.completions) {
    const std::optional<std::uint64_t> none{0};
    to.push_back(at_most("completions outstanding", static_cast<double>(all->outstanding), none));
    const auto lost = all->ended > all->delivered ? all->ended - all->delivered : 0;
    to.push_back(at_most("completions lost", static_cast<double>(lost), none));
  }
  if (!run.has_own_server) return;
  to.push_back(is_true("the server drained and ended", run.exit_code == 0,
                       run.exit_code ? "exit code " + std::to_string(*run.exit_code) : "no"));
}

}  // namespace

double p99_ratio(const healthy_figures& healthy) {
  std::vector<double> ratios;
  for (const auto& one : healthy.batches) {
    const auto& quiet = one.of[static_cast<std::size_t>(phase::quiet)];
    const auto& faults = one.of[static_cast<std::size_t>(phase::faults)];
    if (quiet.count() > 0 && faults.count() > 0)
      ratios.push_back(
          static_cast<double>(faults.quantile(0.99).count()) /
          static_cast<double>(std::max<std::int64_t>(quiet.quantile(0.99).count(), 1)));
  }
  if (ratios.empty()) return 0;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

std::optional<tree_growth> grown(const std::vector<batch_result>& batches) {
  std::array<std::vector<double>, 4> all;
  for (std::size_t i = batches.size() > 2 ? 1 : 0; i < batches.size(); ++i) {
    const auto& one = batches[i].holds;
    if (!one) continue;
    all[0].push_back(static_cast<double>(one->resident_kib));
    all[1].push_back(static_cast<double>(one->descriptors));
    all[2].push_back(static_cast<double>(one->threads));
    all[3].push_back(static_cast<double>(one->processes));
  }
  if (all[0].empty()) return std::nullopt;
  return tree_growth{growth(all[0]), growth(all[1]), growth(all[2]), growth(all[3])};
}

std::vector<check> judge(const soak_result& run, const bounds& accepted) {
  const auto& healthy = run.healthy;
  std::vector<check> all{
      at_most("healthy requests lost", static_cast<double>(healthy.lost), accepted.lost),
      at_most("healthy requests answered wrongly", static_cast<double>(healthy.wrong),
              accepted.wrong),
      at_most("healthy connections disturbed", static_cast<double>(healthy.disturbed),
              accepted.disturbed),
      at_most("faults that ended otherwise than they may", static_cast<double>(unexpected_in(run)),
              accepted.unexpected),
      at_most("healthy p99 with faults, to without", p99_ratio(healthy), accepted.p99_ratio),
      recovery_check(run, accepted)};
  add_growth(all, run, accepted);
  add_processes(all, run, accepted);
  add_handlers(all, run);
  add_end(all, run);
  if (run.died_in)
    all.push_back(is_true("the server lived on", false,
                          "it ended in batch " + std::to_string(*run.died_in + 1)));
  if (run.interrupted) all.push_back(is_true("ran to its end", false, "interrupted"));
  return all;
}

bool all_hold(const std::vector<check>& checks) {
  return std::ranges::all_of(checks, &check::holds);
}

}  // namespace bulkhead::faults
