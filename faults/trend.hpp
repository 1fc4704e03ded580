// Whether a figure that was read after each batch grows.
#pragma once

#include <vector>

namespace bulkhead::faults {

// What the figure gained from the first to the last reading if it grew evenly: the median of the
// slopes between all pairs (Theil and Sen), which one odd reading does not move, times the steps.
// 0 for fewer than two readings.
double growth(const std::vector<double>& readings);

}  // namespace bulkhead::faults
