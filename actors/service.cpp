#include "actors/service.hpp"

namespace bulkhead::actors {

void service::replace_settings(config next) {
  const std::lock_guard guard(mutex_);
  generations_.push_back(std::make_unique<const config>(std::move(next)));
  settings_.store(generations_.back().get(), std::memory_order_release);
}

session_slot::session_slot(service& shared) : shared_(&shared) {
  if (shared.sessions.fetch_add(1, std::memory_order_relaxed) < shared.settings().sessions_max)
    return;
  shared.sessions.fetch_sub(1, std::memory_order_relaxed);
  shared_ = nullptr;
}

void session_slot::give_back() {
  if (shared_) shared_->sessions.fetch_sub(1, std::memory_order_relaxed);
  shared_ = nullptr;
}

}  // namespace bulkhead::actors
