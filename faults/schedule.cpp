#include "faults/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "faults/random.hpp"

namespace bulkhead::faults {

std::vector<injection> make_schedule(const std::vector<fault>& faults, std::uint64_t seed,
                                     unsigned batch, std::chrono::microseconds length) {
  random_source random(random_source(seed).next() + batch);
  const double seconds = std::chrono::duration<double>(length).count();
  std::vector<injection> all;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto by_rate = static_cast<std::size_t>(std::llround(faults[i].rate * seconds));
    for (auto left = faults[i].count + by_rate; left > 0; --left) {
      const auto at =
          random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(length.count(), 1)));
      all.push_back({std::chrono::microseconds(at), i, random.next()});
    }
  }
  std::sort(all.begin(), all.end(), [](const injection& a, const injection& b) {
    return std::tie(a.at, a.fault, a.seed) < std::tie(b.at, b.fault, b.seed);
  });
  return all;
}

}  // namespace bulkhead::faults
