#include "faults/handler_counts.hpp"

#include <map>

namespace bulkhead::faults {
namespace {

bool belongs_to(const hosted_handler& one, const std::string& target) {
  return target.starts_with(one.path.substr(0, one.path.find('{')));
}

}  // namespace

std::vector<handler_count> count_outcomes(const std::vector<hosted_handler>& handlers,
                                          const std::vector<fault>& faults,
                                          const std::vector<fault_figures>& figures,
                                          const metrics& told) {
  std::vector<handler_count> all;
  for (const auto& one : handlers) {
    std::map<std::string, handler_count> by_outcome;
    for (std::size_t i = 0; i < faults.size(); ++i)
      if (!faults[i].outcome.empty() && belongs_to(one, faults[i].target))
        by_outcome[faults[i].outcome].injected += figures[i].injected;
    const auto before = "bulkhead_guest_requests_total{handler=\"" + one.path + "\",outcome=\"";
    for (auto each = told.lower_bound(before);
         each != told.end() && each->first.starts_with(before); ++each)
      by_outcome[each->first.substr(before.size(), each->first.size() - before.size() - 2)]
          .counted = static_cast<std::uint64_t>(each->second);
    by_outcome.erase("response");
    for (const auto& [outcome, count] : by_outcome)
      if (count.injected > 0 || count.counted > 0)
        all.push_back({one.path, outcome, count.injected, count.counted});
  }
  return all;
}

}  // namespace bulkhead::faults
