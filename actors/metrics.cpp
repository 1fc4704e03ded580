#include "actors/metrics.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace bulkhead::actors {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr double us_per_second = 1e6;

class families {
 public:
  void counter(std::string name, std::string help, double value) {
    family(std::move(name), std::move(help), MetricType::Counter).counter.value = value;
  }
  void counter(std::string name, std::string help, std::uint64_t value) {
    counter(std::move(name), std::move(help), static_cast<double>(value));
  }
  void gauge(std::string name, std::string help, double value) {
    family(std::move(name), std::move(help), MetricType::Gauge).gauge.value = value;
  }
  // One with labels: open it, then add a value for each.
  void counter_by(std::string name, std::string help) {
    all_.push_back({std::move(name), std::move(help), MetricType::Counter, {}});
  }
  void gauge_by(std::string name, std::string help) {
    all_.push_back({std::move(name), std::move(help), MetricType::Gauge, {}});
  }
  void value(std::vector<ClientMetric::Label> labels, std::uint64_t count) {
    auto& one = all_.back().metric.emplace_back();
    one.label = std::move(labels);
    one.counter.value = static_cast<double>(count);
  }
  void level(std::vector<ClientMetric::Label> labels, double now) {
    auto& one = all_.back().metric.emplace_back();
    one.label = std::move(labels);
    one.gauge.value = now;
  }
  ClientMetric& family(std::string name, std::string help, MetricType type) {
    all_.push_back({std::move(name), std::move(help), type, {}});
    return all_.back().metric.emplace_back();
  }
  std::string text() const { return prometheus::TextSerializer().Serialize(all_); }

 private:
  std::vector<MetricFamily> all_;
};

void add_connections(families& out, const metrics_snapshot& f) {
  out.counter("bulkhead_accepted_total", "Connections accepted, refused ones included.",
              f.accepted);
  out.gauge("bulkhead_sessions", "Connections alive now.", static_cast<double>(f.sessions));
  out.gauge("bulkhead_sessions_limit", "Connections that may be alive at once.",
            static_cast<double>(f.sessions_max));
  out.counter("bulkhead_sessions_refused_total", "Connections refused for want of a session.",
              f.sessions_refused);
  out.counter("bulkhead_sessions_ended_total", "Sessions that have ended.", f.sessions_ended);
  out.gauge("bulkhead_held_bytes", "Bytes of buffers and contents that sessions hold.",
            static_cast<double>(f.held_bytes));
  out.gauge("bulkhead_held_bytes_limit", "Bytes that sessions may hold.",
            static_cast<double>(f.held_bytes_max));
}

void add_requests(families& out, const metrics_snapshot& f) {
  out.counter_by("bulkhead_requests_total",
                 "Requests, and connections that ended without one, by why they ended.");
  for (std::size_t i = 0; i < reason_count; ++i)
    out.value({{"reason", std::string(name_of(static_cast<reason>(i)))}}, f.ended_by_reason[i]);
  out.counter_by("bulkhead_responses_total", "Responses sent, by the class of their status.");
  for (std::size_t i = 1; i < f.answered_by_class.size(); ++i)
    out.value({{"class", std::to_string(i) + "xx"}}, f.answered_by_class[i]);
  out.counter("bulkhead_received_bytes_total", "Content received.", f.bytes_received);
  out.counter("bulkhead_sent_bytes_total", "Responses sent, heads included.", f.bytes_sent);
}

void add_durations(families& out, const metrics_snapshot& f) {
  auto& histogram = out.family("bulkhead_request_duration_seconds", "Time spent in handlers.",
                               MetricType::Histogram)
                        .histogram;
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < f.handler_durations.size(); ++i) {
    so_far += f.handler_durations[i];
    const double bound = i < duration_bounds_us.size()
                             ? static_cast<double>(duration_bounds_us[i]) / us_per_second
                             : std::numeric_limits<double>::infinity();
    histogram.bucket.push_back({so_far, bound});
  }
  histogram.sample_count = so_far;
  histogram.sample_sum = static_cast<double>(f.handler_durations_sum_us) / us_per_second;
}

void add_handlers(families& out, const metrics_snapshot& f) {
  out.counter("bulkhead_handler_calls_total", "Requests handed to a handler.", f.requests);
  out.counter("bulkhead_handler_exceptions_total", "Requests whose handler threw.",
              f.handler_exceptions);
  out.counter("bulkhead_handovers_total", "Reactors taken from a handler that was stuck.",
              f.handovers);
  add_durations(out, f);
}

void add_guests(families& out, const metrics_snapshot& f) {
  if (f.guests.empty()) return;
  out.counter_by("bulkhead_guest_requests_total", "Requests to sandboxes, by their outcome.");
  for (const auto& one : f.guests)
    for (std::size_t i = 0; i < one.ended.size(); ++i)
      out.value({{"handler", one.path},
                 {"outcome", sandbox::to_string(static_cast<sandbox::outcome_kind>(i))}},
                one.ended[i]);
  out.gauge_by("bulkhead_guest_circuit_open", "1 while the handler's circuit is open.");
  for (const auto& one : f.guests) out.level({{"handler", one.path}}, one.is_open ? 1 : 0);
  out.counter_by("bulkhead_guest_circuit_opened_total", "Times that the handler's circuit opened.");
  for (const auto& one : f.guests) out.value({{"handler", one.path}}, one.times_opened);
}

// The figures were read one after the other: it can't be less than none.
double outstanding(const metrics_snapshot& f) {
  const auto left = f.completion_full + f.completion_deliveries;
  return f.completion_attempts > left ? static_cast<double>(f.completion_attempts - left) : 0;
}

void add_completions(families& out, const metrics_snapshot& f) {
  out.counter("bulkhead_completion_attempts_total", "Tries to hand over a completion.",
              f.completion_attempts);
  out.counter("bulkhead_completion_full_total", "Tries that found the receiver full.",
              f.completion_full);
  out.counter("bulkhead_completion_retries_total", "Tries after the first of a completion.",
              f.completion_retries);
  out.counter("bulkhead_completion_deliveries_total", "Completions handed over.",
              f.completion_deliveries);
  out.gauge("bulkhead_completions_outstanding", "Completions handed over and not taken yet.",
            outstanding(f));
}

void add_log(families& out, const metrics_snapshot& f) {
  out.counter("bulkhead_log_dropped_total", "Access records dropped: no room, or a failed write.",
              f.log_dropped);
  out.counter("bulkhead_log_suppressed_total", "Access records of peers' faults summarised.",
              f.log_suppressed);
}

void add_process(families& out, const process_figures& f) {
  out.gauge("process_resident_memory_bytes", "Resident memory.",
            static_cast<double>(f.resident_bytes));
  out.gauge("process_open_fds", "Open file descriptors.", static_cast<double>(f.descriptors));
  out.gauge("process_threads", "Threads.", static_cast<double>(f.threads));
  out.counter("process_cpu_seconds_total", "User and system CPU time.", f.cpu_seconds);
  out.gauge("process_start_time_seconds", "When the process began, since the Unix epoch.",
            f.start_seconds);
}

template <std::size_t n>
void add_each(std::array<std::uint64_t, n>& sums, const std::array<counter, n>& one) {
  for (std::size_t i = 0; i < n; ++i) sums[i] += one[i].value();
}

}  // namespace

void metrics_snapshot::add(const reactor_counters& one) {
  accepted += one.accepted.value();
  sessions_refused += one.sessions_refused.value();
  sessions_ended += one.sessions_ended.value();
  requests += one.requests.value();
  handler_exceptions += one.handler_exceptions.value();
  for (std::size_t i = 0; i < handler_durations.size(); ++i)
    handler_durations[i] += one.handler_durations.in_bucket(i);
  handler_durations_sum_us += one.handler_durations.sum_us();
  add_each(ended_by_reason, one.ended_by_reason);
  add_each(answered_by_class, one.answered_by_class);
  bytes_received += one.bytes_received.value();
  bytes_sent += one.bytes_sent.value();
}

void metrics_snapshot::add(const guest& one) {
  // Several may answer one path, each with methods of its own.
  const auto& path = one.settings().path;
  const auto known = std::ranges::find(guests, path, &guest_figures::path);
  auto& figures = known != guests.end() ? *known : guests.emplace_back();
  figures.path = path;
  for (std::size_t i = 0; i < figures.ended.size(); ++i)
    figures.ended[i] += one.ended(static_cast<sandbox::outcome_kind>(i));
  figures.is_open = figures.is_open || one.breaker().now(std::chrono::steady_clock::now()) !=
                                           circuit_breaker::state::closed;
  figures.times_opened += one.breaker().times_opened();
}

std::string render(const metrics_snapshot& figures) {
  families out;
  add_connections(out, figures);
  add_requests(out, figures);
  add_handlers(out, figures);
  add_guests(out, figures);
  add_completions(out, figures);
  add_log(out, figures);
  add_process(out, figures.process);
  return out.text();
}

}  // namespace bulkhead::actors
