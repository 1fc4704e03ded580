#include "faults/recorder.hpp"

#include <algorithm>

namespace bulkhead::faults {
namespace {

constexpr std::size_t mishap_samples_max = 10;

template <class T>
T& at_least(std::vector<T>& in, std::size_t index) {
  if (in.size() <= index) in.resize(index + 1);
  return in[index];
}

}  // namespace

void recorder::enter(unsigned batch, phase next) {
  place_ = batch * static_cast<std::uint32_t>(phase_count) + static_cast<std::uint32_t>(next);
  const auto since = std::chrono::steady_clock::now() - begin_;
  const std::lock_guard guard(mutex_);
  figures_.phases.push_back({std::chrono::duration_cast<std::chrono::milliseconds>(since), next});
}

recorder::place recorder::now() const {
  const auto both = place_.load();
  return {both / static_cast<std::uint32_t>(phase_count), static_cast<phase>(both % phase_count)};
}

void recorder::add(loop by, place where, time_point due, time_point answered, mishap how,
                   const std::string& what) {
  const auto latency = answered - due;
  const auto since = std::max(due - begin_, std::chrono::steady_clock::duration::zero());
  const auto index =
      static_cast<std::size_t>(std::chrono::floor<std::chrono::seconds>(since).count());
  const std::lock_guard guard(mutex_);
  auto& second = at_least(figures_.seconds, index);
  ++figures_.requests;
  row_ = how == mishap::none && latency <= row_limit_ ? row_ + 1 : 0;
  if (how == mishap::none) {
    second.latency.add(latency);
    figures_.latency[static_cast<std::size_t>(by)][static_cast<std::size_t>(where.in)].add(latency);
    at_least(figures_.batches, where.batch).of[static_cast<std::size_t>(where.in)].add(latency);
    return;
  }
  ++second.mishaps;
  ++(how == mishap::lost ? figures_.lost : figures_.wrong);
  if (figures_.samples.size() < mishap_samples_max) figures_.samples.push_back(what);
}

void recorder::add_disturbed(std::uint64_t connections) {
  const std::lock_guard guard(mutex_);
  figures_.disturbed += connections;
}

healthy_counts recorder::counts() const {
  const std::lock_guard guard(mutex_);
  return figures_;
}

std::chrono::nanoseconds recorder::quantile(unsigned batch, phase in, double share) const {
  const std::lock_guard guard(mutex_);
  if (batch >= figures_.batches.size()) return std::chrono::nanoseconds::zero();
  return figures_.batches[batch].of[static_cast<std::size_t>(in)].quantile(share);
}

healthy_figures recorder::figures() const {
  const std::lock_guard guard(mutex_);
  return figures_;
}

std::uint64_t recorder::in_a_row(std::chrono::nanoseconds limit) {
  const std::lock_guard guard(mutex_);
  if (row_limit_ != limit) row_ = 0;
  row_limit_ = limit;
  return row_;
}

}  // namespace bulkhead::faults
