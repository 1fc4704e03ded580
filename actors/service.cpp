#include "actors/service.hpp"

namespace bulkhead::actors {

session_slot::session_slot(service& shared) : shared_(&shared) {
  if (shared.sessions.fetch_add(1, std::memory_order_relaxed) < shared.settings.sessions_max)
    return;
  shared.sessions.fetch_sub(1, std::memory_order_relaxed);
  shared_ = nullptr;
}

void session_slot::give_back() {
  if (shared_) shared_->sessions.fetch_sub(1, std::memory_order_relaxed);
  shared_ = nullptr;
}

}  // namespace bulkhead::actors
