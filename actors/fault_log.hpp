// The last faults of one handler, for its owner. None of the request's content.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "sandbox/outcome.hpp"

namespace bulkhead::actors {

struct fault_record {
  std::chrono::system_clock::time_point at;
  std::uint64_t request_id = 0;
  sandbox::outcome_kind kind = sandbox::outcome_kind::gone;
  sandbox::budget_kind budget = sandbox::budget_kind::none;
  int signal = 0;
  int exit_code = 0;
  sandbox::fault_site site;
  std::chrono::nanoseconds wall{};
  std::chrono::nanoseconds cpu{};
  std::string detail;  // may quote the guest
  std::string log;     // what it had logged, its octets
};

// From any thread.
class fault_log {
 public:
  static constexpr std::size_t kept = 100;

  // Drops the oldest beyond `kept`.
  void add(fault_record one);
  // The latest first.
  std::vector<fault_record> all() const;

 private:
  mutable std::mutex mutex_;
  std::deque<fault_record> records_;
};

fault_record fault_of(const sandbox::outcome& how, std::uint64_t request_id,
                      std::chrono::system_clock::time_point at);

}  // namespace bulkhead::actors
