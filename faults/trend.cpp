#include "faults/trend.hpp"

#include <algorithm>
#include <cstddef>

namespace bulkhead::faults {

double growth(const std::vector<double>& readings) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < readings.size(); ++i)
    for (std::size_t j = i + 1; j < readings.size(); ++j)
      slopes.push_back((readings[j] - readings[i]) / static_cast<double>(j - i));
  if (slopes.empty()) return 0;
  std::sort(slopes.begin(), slopes.end());
  const auto half = slopes.size() / 2;
  const double median =
      slopes.size() % 2 == 1 ? slopes[half] : (slopes[half - 1] + slopes[half]) / 2;
  return median * static_cast<double>(readings.size() - 1);
}

}  // namespace bulkhead::faults
