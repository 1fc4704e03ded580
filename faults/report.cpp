#include "faults/report.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "faults/process_tree.hpp"

namespace bulkhead::faults {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<std::string_view, phase_count> phase_names{"without faults", "with faults",
                                                                "settling"};
constexpr std::array shares{0.0,   0.25,  0.5,   0.75,   0.9,    0.95,    0.98, 0.99,
                            0.995, 0.998, 0.999, 0.9995, 0.9999, 0.99999, 1.0};

double as_us(std::chrono::nanoseconds time) {
  return std::round(std::chrono::duration<double, std::micro>(time).count());
}

json latency_of(const histogram& all) {
  return {{"requests", all.count()},
          {"p50_us", as_us(all.quantile(0.5))},
          {"p99_us", as_us(all.quantile(0.99))},
          {"p999_us", as_us(all.quantile(0.999))},
          {"max_us", as_us(all.max())}};
}

json percentiles_of(const histogram& all) {
  json points = json::array();
  for (const double share : shares)
    if (all.count() > 0 && static_cast<double>(all.count()) * (1 - share) >= (share < 1 ? 1 : 0))
      points.push_back({share * 100, as_us(all.quantile(share))});
  return points;
}

json machine() {
  std::ifstream load("/proc/loadavg");
  double one = 0;
  load >> one;
  return {{"cpus", std::thread::hardware_concurrency()}, {"load_at_end", one}};
}

std::string now_utc() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 40> room{};
  std::strftime(room.data(), room.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return room.data();
}

json healthy_of(const healthy_figures& figures) {
  json latency = json::array();
  for (std::size_t by = 0; by < loop_count; ++by)
    for (const auto in : {phase::quiet, phase::faults}) {
      const auto& all = figures.latency[by][static_cast<std::size_t>(in)];
      if (all.count() == 0) continue;
      auto row = latency_of(all);
      row["loop"] = by == 0 ? "closed" : "open";
      row["phase"] = phase_names[static_cast<std::size_t>(in)];
      row["percentiles"] = percentiles_of(all);
      latency.push_back(std::move(row));
    }
  return {{"requests", figures.requests},    {"lost", figures.lost},
          {"wrong", figures.wrong},          {"disturbed", figures.disturbed},
          {"p99_ratio", p99_ratio(figures)}, {"latency", std::move(latency)},
          {"samples", figures.samples}};
}

json faults_of(const soak_result& run) {
  json all = json::array();
  for (std::size_t i = 0; i < run.given.size(); ++i) {
    const auto& figures = run.faults[i];
    json answered = json::object();
    for (const auto& [status, count] : figures.answered) answered[std::to_string(status)] = count;
    all.push_back({{"kind", run.given[i].kind},
                   {"target", run.given[i].target},
                   {"injected", figures.injected},
                   {"unexpected", figures.unexpected},
                   {"answered", std::move(answered)},
                   {"closed", figures.closed},
                   {"reset", figures.reset},
                   {"left", figures.left},
                   {"refused", figures.refused},
                   {"skipped", figures.skipped}});
  }
  return all;
}

json held_of(const tree_figures& one) {
  return {{"resident_kib", one.resident_kib},
          {"descriptors", one.descriptors},
          {"threads", one.threads},
          {"processes", one.processes}};
}

json batches_of(const soak_result& run) {
  json all = json::array();
  for (std::size_t i = 0; i < run.batches.size(); ++i) {
    const auto& one = run.batches[i];
    json row{{"recovery_ms", one.recovery_ms ? json(*one.recovery_ms) : json()},
             {"sessions_refused", one.sessions_refused}};
    if (i < run.healthy.batches.size()) {
      row["without"] = latency_of(run.healthy.batches[i].of[0]);
      row["with"] = latency_of(run.healthy.batches[i].of[1]);
    }
    if (one.holds) row.update(held_of(*one.holds));
    all.push_back(std::move(row));
  }
  return all;
}

json seconds_of(const healthy_figures& figures) {
  json all = json::array();
  for (const auto& one : figures.seconds)
    all.push_back({{"requests", one.latency.count()},
                   {"p50_us", as_us(one.latency.quantile(0.5))},
                   {"p99_us", as_us(one.latency.quantile(0.99))},
                   {"max_us", as_us(one.latency.max())},
                   {"mishaps", one.mishaps}});
  return all;
}

json phases_of(const healthy_figures& figures) {
  json all = json::array();
  for (const auto& one : figures.phases)
    all.push_back({{"at_s", static_cast<double>(one.at.count()) / 1000},
                   {"phase", phase_names[static_cast<std::size_t>(one.in)]}});
  return all;
}

json checks_of(const std::vector<check>& checks) {
  json all = json::array();
  for (const auto& one : checks)
    all.push_back(
        {{"what", one.what}, {"found", one.found}, {"bound", one.bound}, {"holds", one.holds}});
  return all;
}

}  // namespace

json report(const soak_options& options, const soak_result& run, const std::vector<check>& checks,
            const std::string& replay) {
  json all{{"scenario", options.what.name},
           {"about", options.what.about},
           {"ended", now_utc()},
           {"target", run.has_own_server ? "a server of its own" : options.target},
           {"duration_s", options.what.duration.count()},
           {"seed", options.seed},
           {"replay", replay},
           {"holds", all_hold(checks)},
           {"checks", checks_of(checks)},
           {"faults", faults_of(run)},
           {"fault_samples", run.fault_samples},
           {"skipped_kinds", run.skipped},
           {"healthy", healthy_of(run.healthy)},
           {"batches", batches_of(run)},
           {"phases", phases_of(run.healthy)},
           {"seconds", seconds_of(run.healthy)},
           {"machine", machine()}};
  for (const auto& one : run.handlers)
    all["handlers"].push_back({{"handler", one.handler},
                               {"outcome", one.outcome},
                               {"injected", one.injected},
                               {"counted", one.counted}});
  if (run.at_rest) all["at_rest"] = held_of(*run.at_rest);
  if (run.completions)
    all["completions"] = {{"sessions_ended", run.completions->ended},
                          {"delivered", run.completions->delivered},
                          {"outstanding", run.completions->outstanding}};
  if (!all_hold(checks) && run.has_own_server) all["server_log"] = run.server_log;
  return all;
}

}  // namespace bulkhead::faults
