#include "tls/configurations.hpp"

#include <utility>

#include "tls/context.hpp"

namespace bulkhead::tls {
namespace {

// The one that was used last: its memory is warm.
template <class T>
T take_last(std::vector<T>& from) {
  if (from.empty()) return nullptr;
  auto last = std::move(from.back());
  from.pop_back();
  return last;
}

}  // namespace

configurations::configurations(std::shared_ptr<const virtual_hosts> hosts)
    : hosts_(std::move(hosts)), copies_(hosts_->all().size()) {
  // No allocation when something comes back.
  contexts_.reserve(spare_contexts_max);
  for (auto& copies : copies_) copies.reserve(spare_copies_max);
}

ssl_ctx_ptr configurations::context() {
  {
    const std::lock_guard held(lock_);
    if (auto spare = take_last(contexts_)) return spare;
  }
  return make_context();
}

std::unique_ptr<host_copy> configurations::copy_of(const virtual_hosts::host& host) {
  {
    const std::lock_guard held(lock_);
    if (auto spare = take_last(copies_[host.index])) return spare;
  }
  return std::make_unique<host_copy>(*host.shown);
}

void configurations::give_back(ssl_ctx_ptr context) noexcept {
  const std::lock_guard held(lock_);
  if (contexts_.size() < spare_contexts_max) contexts_.push_back(std::move(context));
}

void configurations::give_back(const virtual_hosts::host& host,
                               std::unique_ptr<host_copy> copy) noexcept {
  const std::lock_guard held(lock_);
  auto& copies = copies_[host.index];
  if (copies.size() < spare_copies_max) copies.push_back(std::move(copy));
}

configurations::spares configurations::held() const {
  const std::lock_guard held(lock_);
  spares all{contexts_.size(), 0};
  for (const auto& copies : copies_) all.copies += copies.size();
  return all;
}

}  // namespace bulkhead::tls
