// What all sessions share: settings and routes, unchanging while it serves.
#pragma once

#include <atomic>
#include <cstddef>

#include "actors/access_log.hpp"
#include "actors/config.hpp"
#include "actors/router.hpp"

namespace bulkhead::actors {

struct service {
  config settings;
  router routes;
  exception_hook on_exception;
  access_sink on_access;
  bulkhead::access_log* log = nullptr;  // when the settings ask for one

  // Sessions alive, on all reactors: written once a connection.
  std::atomic<std::size_t> sessions{0};
  // Bytes that sessions hold while they wait: an ordinary request leaves none.
  std::atomic<std::size_t> held_bytes{0};
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
