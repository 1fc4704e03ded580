// Whether a run held its bounds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faults/scenario.hpp"
#include "faults/soak.hpp"

namespace bulkhead::faults {

struct check {
  std::string what;
  std::string found;
  std::string bound;  // "at most 0"; "any": it can't fail
  bool holds = true;
};

std::vector<check> judge(const soak_result& run, const bounds& accepted);
bool all_hold(const std::vector<check>& checks);

// p99 of a batch with faults over p99 without, the median of all batches; 0: no batch has both.
double p99_ratio(const healthy_figures& healthy);

// What a figure gained over all batches behind the first, which warms up. Nothing: not known.
struct tree_growth {
  double resident_kib = 0;
  double descriptors = 0;
  double threads = 0;
  double processes = 0;
};
std::optional<tree_growth> grown(const std::vector<batch_result>& batches);

}  // namespace bulkhead::faults
