#include "faults/soak.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>

#include "actors/client_wire.hpp"
#include "actors/socket.hpp"
#include "faults/guests.hpp"
#include "faults/healthy.hpp"
#include "faults/own_server.hpp"
#include "faults/random.hpp"
#include "faults/schedule.hpp"

namespace bulkhead::faults {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto show_each = 200ms;
constexpr auto standing_each = 50ms;
constexpr auto healthy_deadline = 10s;
constexpr auto peers_patience = 15s;
constexpr auto recovery_patience = 30s;
constexpr auto stop_patience = 60s;
constexpr std::uint64_t row_wanted = 10;
constexpr std::chrono::nanoseconds row_limit_min = 5ms;

double as_ms(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

class run {
 public:
  run(const soak_options& options, progress& to, const std::atomic<bool>& interrupt)
      : options_(options), progress_(to), interrupt_(interrupt) {}

  soak_result go() {
    find_server();
    skip_what_needs_tls();
    warm_up();
    for (unsigned batch = 0; batch < options_.what.batches && !is_over(); ++batch) {
      run_quiet(batch);
      run_faults(batch);
      settle(batch);
      if (has_died()) result_.died_in = batch;
    }
    end();
    return std::move(result_);
  }

 private:
  void find_server() {
    result_.has_own_server = options_.target.empty();
    if (result_.has_own_server) {
      const auto& what = options_.what;
      own_ = std::make_unique<own_server>(
          own_server_settings{.options = what.server_options,
                              .descriptors_max = what.server_descriptors_max,
                              .config = settings_of_handlers(what, options_.guests),
                              .files = what.files});
      at_ = {own_->plain(), own_->secure(), {.ca_file = own_->certificate_file()}};
      pid_ = own_->pid();
      admin_ = std::make_unique<metrics_reader>(own_->admin());
    } else {
      at_ = {options_.target, options_.tls_target, {.verify = false}};
      pid_ = options_.pid;
      if (!options_.admin.empty()) admin_ = std::make_unique<metrics_reader>(options_.admin);
    }
    at_.settings.deadlines.exchange = healthy_deadline;
    progress_.say("soaking " + at_.plain + (result_.has_own_server ? ", a server of its own" : ""));
  }

  void skip_what_needs_tls() {
    for (const auto& one : options_.what.faults)
      if (at_.secure.empty() && find_kind(one.kind)->tls)
        result_.skipped.push_back(one.kind);
      else
        faults_.push_back(one);
    healthy_ = options_.what.healthy;
    if (at_.secure.empty()) std::erase_if(healthy_, [](const auto& one) { return one.tls; });
    if (healthy_.empty()) throw std::runtime_error("all healthy clients need HTTPS: --tls-target");
  }

  void warm_up() {
    const auto plain = actors::parse_origin(at_.plain);
    swarm_settings settings{
        .faults = faults_,
        .place = {.plain = actors::resolve(plain.host_port).front(), .host = plain.host},
        .authority = plain.authority,
        .peers_max = options_.peers_max};
    if (!at_.secure.empty())
      settings.place.secure = actors::resolve(actors::parse_origin(at_.secure).host_port).front();
    recorder_ = std::make_unique<recorder>(steady::now());
    recorder_->enter(0, phase::settling);
    traffic_ = std::make_unique<healthy_traffic>(healthy_, at_, options_.seed, *recorder_);
    swarm_ = std::make_unique<swarm>(std::move(settings));
    wait_until(steady::now() + 300ms, "warming up");
    if (const auto now = read_metrics()) sessions_at_rest_ = value_of(*now, "bulkhead_sessions");
  }

  std::chrono::microseconds half() const {
    return std::chrono::duration_cast<std::chrono::microseconds>(options_.what.duration) /
           (2 * options_.what.batches);
  }

  bool has_died() const { return pid_ != 0 && !is_alive(pid_); }
  bool is_over() const { return interrupt_ || has_died(); }

  void begin_half() {
    ++halves_begun_;
    half_ends_ = steady::now() + half();
  }
  // Of the batches; what comes between them takes as long as it takes.
  std::chrono::seconds left() const {
    const auto present = std::max<steady::duration>(half_ends_ - steady::now(), {});
    return std::chrono::ceil<std::chrono::seconds>(
        present + half() * (2 * options_.what.batches - halves_begun_));
  }

  std::string title(unsigned batch, const char* what) const {
    return "batch " + std::to_string(batch + 1) + "/" + std::to_string(options_.what.batches) +
           ", " + what;
  }

  void run_quiet(unsigned batch) {
    recorder_->enter(batch, phase::quiet);
    begin_half();
    wait_until(steady::now() + half(), title(batch, "without faults"));
    if (batch == 0 && pid_ != 0) result_.at_rest = read_tree(pid_);
  }

  void run_faults(unsigned batch) {
    const auto schedule = make_schedule(faults_, options_.seed, batch, half());
    random_source standing(random_source(options_.seed ^ ~std::uint64_t{batch}).next());
    const auto begin = steady::now();
    auto topped_up = begin - standing_each;
    recorder_->enter(batch, phase::faults);
    begin_half();
    std::size_t next = 0;
    const auto launch_until = [&](steady::time_point now) {
      for (; next < schedule.size() && begin + schedule[next].at <= now; ++next)
        swarm_->launch(schedule[next].fault, schedule[next].seed);
    };
    while (steady::now() < begin + half() && !is_over()) {
      const auto now = steady::now();
      launch_until(now);
      if (now - topped_up >= standing_each) {
        topped_up = now;
        top_up(standing);
      }
      auto until = std::min(begin + half(), now + standing_each);
      if (next < schedule.size()) until = std::min(until, begin + schedule[next].at);
      std::this_thread::sleep_until(until);
      show(title(batch, "with faults"));
    }
    // Those of the last moment, which the loop may have slept beyond.
    if (!is_over()) launch_until(begin + half());
  }

  void top_up(random_source& random) {
    for (std::size_t i = 0; i < faults_.size(); ++i)
      for (auto there = swarm_->open(i); there < faults_[i].standing; ++there)
        swarm_->launch(i, random.next());
  }

  void settle(unsigned batch) {
    recorder_->enter(batch, phase::settling);
    swarm_->end_batch();
    const auto peers_until = steady::now() + peers_patience;
    while (swarm_->open() > 0 && steady::now() < peers_until && !is_over())
      wait_until(steady::now() + 2ms, title(batch, "last answers"));
    auto& one = result_.batches.emplace_back();
    one.recovery_ms = wait_for_recovery(batch);
    if (pid_ != 0) one.holds = read_tree(pid_);
    if (const auto now = read_metrics()) {
      const auto refused = value_of(*now, "bulkhead_sessions_refused_total");
      // A worker that was replaced counts from 0.
      one.sessions_refused =
          static_cast<std::uint64_t>(refused >= refused_ ? refused - refused_ : refused);
      refused_ = refused;
    }
    progress_.say(title(batch, one.recovery_ms ? "recovered" : "did NOT recover") + ": " +
                  counts());
  }

  std::optional<double> wait_for_recovery(unsigned batch) {
    const auto begin = steady::now();
    const auto limit = std::max(2 * recorder_->quantile(batch, phase::quiet, 0.99), row_limit_min);
    static_cast<void>(recorder_->in_a_row(limit));
    while (steady::now() < begin + recovery_patience) {
      if (recorder_->in_a_row(limit) >= row_wanted && are_sessions_gone() && are_processes_back())
        return as_ms(steady::now() - begin);
      wait_until(steady::now() + 5ms, title(batch, "settling"));
      if (is_over()) break;
    }
    return std::nullopt;
  }

  bool are_sessions_gone() {
    if (!admin_) return true;
    const auto now = read_metrics();
    return now && value_of(*now, "bulkhead_sessions") <= sessions_at_rest_;
  }

  bool are_processes_back() {
    const auto& changed = options_.what.accepted.processes_changed;
    if (!result_.at_rest || !changed) return true;
    const auto now = read_tree(pid_);
    return now && processes_changed(*result_.at_rest, *now) <= *changed;
  }

  void end() {
    progress_.say("ending");
    result_.interrupted = interrupt_;
    traffic_ = nullptr;
    result_.given = faults_;
    result_.faults = swarm_->figures();
    result_.fault_samples = swarm_->samples();
    if (const auto now = read_metrics())
      result_.handlers = count_outcomes(options_.what.handlers, faults_, result_.faults, *now);
    swarm_ = nullptr;
    result_.healthy = recorder_->figures();
    read_completions();
    if (!own_) return;
    admin_ = nullptr;
    result_.exit_code = own_->stop(stop_patience);
    result_.server_log = own_->log_end();
  }

  // Once every session is reaped: the admin listener's own are not counted.
  void read_completions() {
    const auto until = steady::now() + recovery_patience;
    while (admin_ && steady::now() < until) {
      const auto now = read_metrics();
      if (now && value_of(*now, "bulkhead_sessions") == 0) {
        const auto number = [&](std::string_view name) {
          return static_cast<std::uint64_t>(value_of(*now, name));
        };
        result_.completions = {number("bulkhead_sessions_ended_total"),
                               number("bulkhead_completion_deliveries_total"),
                               number("bulkhead_completions_outstanding")};
        return;
      }
      std::this_thread::sleep_for(20ms);
    }
  }

  std::optional<metrics> read_metrics() { return admin_ ? admin_->read() : std::nullopt; }

  void wait_until(steady::time_point when, const std::string& doing) {
    while (!interrupt_) {
      const auto now = steady::now();
      if (now >= when) return;
      std::this_thread::sleep_until(std::min<steady::time_point>(when, now + show_each));
      show(doing);
    }
  }

  std::string counts() const {
    const auto now = recorder_->counts();
    std::uint64_t injected = 0;
    std::uint64_t unexpected = 0;
    for (const auto& one : swarm_->figures()) {
      injected += one.injected;
      unexpected += one.unexpected;
    }
    return std::to_string(now.lost) + " lost, " + std::to_string(now.wrong) + " wrong of " +
           std::to_string(now.requests) + " healthy requests; " + std::to_string(unexpected) +
           " unexpected of " + std::to_string(injected) + " faults";
  }

  void show(const std::string& doing) {
    const auto now = steady::now();
    if (now - shown_ < show_each) return;
    shown_ = now;
    progress_.show(doing + ", " + std::to_string(left().count()) + " s left: " + counts() + "; " +
                   std::to_string(swarm_ ? swarm_->open() : 0) + " peers");
  }

  const soak_options& options_;
  progress& progress_;
  const std::atomic<bool>& interrupt_;
  soak_result result_;
  std::vector<fault> faults_;
  std::vector<healthy_clients> healthy_;
  healthy_origins at_;
  pid_t pid_ = 0;
  double sessions_at_rest_ = 0;
  double refused_ = 0;
  unsigned halves_begun_ = 0;
  steady::time_point half_ends_{};
  steady::time_point shown_{};
  std::unique_ptr<own_server> own_;
  std::unique_ptr<metrics_reader> admin_;
  std::unique_ptr<recorder> recorder_;
  std::unique_ptr<healthy_traffic> traffic_;
  std::unique_ptr<swarm> swarm_;
};

}  // namespace

soak_result soak(const soak_options& options, progress& to, const std::atomic<bool>& interrupt) {
  return run(options, to, interrupt).go();
}

}  // namespace bulkhead::faults
