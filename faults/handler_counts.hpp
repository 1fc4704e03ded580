// Whether the server's own count of what its handlers did is that of what was done to them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faults/metrics_reader.hpp"
#include "faults/scenario.hpp"
#include "faults/swarm.hpp"

namespace bulkhead::faults {

struct handler_count {
  std::string handler;  // its path
  std::string outcome;  // a name of sandbox::outcome_kind, never "response"
  std::uint64_t injected = 0;
  std::uint64_t counted = 0;
};

// For each handler and outcome that was injected or counted. A fault belongs to the handler whose
// path begins its target as far as the first {.
std::vector<handler_count> count_outcomes(const std::vector<hosted_handler>& handlers,
                                          const std::vector<fault>& faults,
                                          const std::vector<fault_figures>& figures,
                                          const metrics& told);

}  // namespace bulkhead::faults
