// The server's figures as Prometheus scrapes them (text exposition format 0.0.4).
//
//   bulkhead_accepted_total                     connections, refused ones included
//   bulkhead_sessions, bulkhead_sessions_limit  alive now, and how many may be
//   bulkhead_sessions_refused_total, bulkhead_sessions_ended_total
//   bulkhead_requests_total{reason="served"}    everything that ended, by its reason: requests,
//                                               and connections that ended without one
//   bulkhead_responses_total{class="2xx"}       answers sent
//   bulkhead_handler_calls_total, bulkhead_handler_exceptions_total, bulkhead_handovers_total
//   bulkhead_request_duration_seconds           histogram of the time in handlers
//   bulkhead_guest_requests_total{handler="/path",outcome="crashed"}   what sandboxes made of them
//   bulkhead_guest_circuit_open{handler="/path"}, bulkhead_guest_circuit_opened_total
//   bulkhead_received_bytes_total, bulkhead_sent_bytes_total
//   bulkhead_held_bytes, bulkhead_held_bytes_limit  what sessions hold, and may
//   bulkhead_completion_attempts_total, bulkhead_completion_full_total,
//   bulkhead_completion_retries_total, bulkhead_completion_deliveries_total,
//   bulkhead_completions_outstanding
//   bulkhead_log_dropped_total, bulkhead_log_suppressed_total   lines the access log left out
//   process_resident_memory_bytes, process_open_fds, process_cpu_seconds_total,
//   process_threads, process_start_time_seconds
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/counters.hpp"
#include "actors/guest.hpp"
#include "actors/process_figures.hpp"

namespace bulkhead::actors {

inline constexpr std::string_view metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// Sums over the reactors, and what is counted elsewhere. A value.
struct metrics_snapshot {
  std::uint64_t sessions = 0;
  std::uint64_t sessions_max = 0;
  std::uint64_t handovers = 0;
  std::uint64_t held_bytes = 0;  // what sessions hold, and how much they may
  std::uint64_t held_bytes_max = 0;
  // Sums over the reactors' gates.
  std::uint64_t completion_attempts = 0;
  std::uint64_t completion_full = 0;
  std::uint64_t completion_retries = 0;
  std::uint64_t completion_deliveries = 0;
  std::uint64_t log_dropped = 0;  // access_log::counts()
  std::uint64_t log_suppressed = 0;
  process_figures process;

  struct guest_figures {
    std::string path;
    std::array<std::uint64_t, guest::outcome_count> ended{};
    bool is_open = false;  // its circuit
    std::uint64_t times_opened = 0;
  };
  std::vector<guest_figures> guests;

  // What add() sums.
  std::uint64_t accepted = 0;
  std::uint64_t sessions_refused = 0;
  std::uint64_t sessions_ended = 0;
  std::uint64_t requests = 0;
  std::uint64_t handler_exceptions = 0;
  std::array<std::uint64_t, duration_histogram::bucket_count> handler_durations{};
  std::uint64_t handler_durations_sum_us = 0;
  std::array<std::uint64_t, reason_count> ended_by_reason{};
  std::array<std::uint64_t, 6> answered_by_class{};
  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;

  // Adds one reactor. From any thread, while the reactor goes on counting: each figure
  // is right, two of them may be a moment apart.
  void add(const reactor_counters& one);
  void add(const guest& one);
};

std::string render(const metrics_snapshot& figures);

}  // namespace bulkhead::actors
