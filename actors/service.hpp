// What all sessions share: settings and routes, unchanging while it serves.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>

#include "actors/config.hpp"
#include "actors/router.hpp"

namespace bulkhead::actors {

struct service {
  config settings;
  router routes;
  std::function<protocol::response(const request&, std::exception_ptr)> on_exception;

  // Sessions alive, on all reactors; the one shared counter that is written a connection.
  std::atomic<std::size_t> sessions{0};
};

// One of service::settings.sessions_max places; given back when the session
// ends, and by the destructor at the latest.
class session_slot {
 public:
  // Empty when there is no place.
  explicit session_slot(service& shared);
  session_slot(session_slot&& other) noexcept : shared_(other.shared_) { other.shared_ = nullptr; }
  session_slot& operator=(session_slot&&) = delete;
  ~session_slot() { give_back(); }
  void give_back();
  explicit operator bool() const { return shared_ != nullptr; }

 private:
  service* shared_;
};

}  // namespace bulkhead::actors
