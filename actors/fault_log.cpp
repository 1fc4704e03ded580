#include "actors/fault_log.hpp"

#include <utility>

namespace bulkhead::actors {

void fault_log::add(fault_record one) {
  const std::lock_guard guard(mutex_);
  records_.push_front(std::move(one));
  if (records_.size() > kept) records_.pop_back();
}

std::vector<fault_record> fault_log::all() const {
  const std::lock_guard guard(mutex_);
  return {records_.begin(), records_.end()};
}

fault_record fault_of(const sandbox::outcome& how, std::uint64_t request_id,
                      std::chrono::system_clock::time_point at) {
  return {at,       request_id, how.kind, how.budget, how.signal, how.exit_code,
          how.site, how.wall,   how.cpu,  how.detail, how.log};
}

}  // namespace bulkhead::actors
