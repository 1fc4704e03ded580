// What all sessions share: settings, which a reload replaces as a whole, and routes, unchanging
// while it serves.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "actors/access_log.hpp"
#include "actors/config.hpp"
#include "actors/guest.hpp"
#include "actors/router.hpp"
#include "actors/tls_service.hpp"

namespace bulkhead::actors {

class shard;

struct service {
  explicit service(config first) {
    replace_settings(std::move(first));
    replace_guests(std::make_shared<guest_table>());
  }

  // Those of now. The reference stays good, also when they are replaced: every
  // generation is kept until the end, for the connections that began under it.
  const config& settings() const { return *settings_.load(std::memory_order_acquire); }
  // Any thread.
  void replace_settings(config next);

  router routes;
  // The handlers of the settings in force. Each reactor holds it, and each request that one of them
  // answers; what a reload replaced goes when the last of these lets go of it.
  struct guest_table {
    guest_list all;
    router routes;
  };
  using held_guests = std::shared_ptr<const guest_table>;
  // Any thread.
  held_guests guests() const;
  // Those, and the ones before that requests still hold.
  std::vector<held_guests> living_guests();
  // Without a lock: whether that is what guests() would give.
  bool are_in_force(const guest_table* these) const {
    return guests_now_.load(std::memory_order_acquire) == these;
  }
  // What the handlers would be; those that are the same as `known` ones, file included, are those.
  // Throws std::invalid_argument that names the handler; `without_failed`: one that can't be loaded
  // is there, and unavailable.
  static held_guests table_for(const config& settings, const guest_list& known,
                               bool without_failed = false);
  void replace_guests(held_guests next);
  // Of a handler, else of `routes`.
  router::match find_route(const guest_table& handlers, const protocol::request_head& head,
                           path_parameters& parameters) const;

  // A handler that can't be had when the server starts is unavailable, and does not end it.
  bool starts_without_guests = false;

  exception_hook on_exception;
  access_sink on_access;
  bulkhead::access_log* log = nullptr;  // when the settings ask for one
  std::shared_ptr<tls_service> tls;     // the same

  // Sessions alive, on all reactors: written once a connection.
  std::atomic<std::size_t> sessions{0};
  // Bytes that sessions hold while they wait: an ordinary request leaves none; and those of them
  // that were told to end.
  std::atomic<std::size_t> held_bytes{0};
  std::atomic<std::size_t> leaving_bytes{0};
  bool over_budget() const {
    return held_bytes.load(std::memory_order_relaxed) >
           leaving_bytes.load(std::memory_order_relaxed) + settings().memory_bytes_max;
  }
  // One a reactor, in the order of the reactors; complete before anybody connects.
  std::vector<shard*> shards;

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<const config>> generations_;
  std::atomic<const config*> settings_{nullptr};
  held_guests guests_;
  std::vector<std::weak_ptr<const guest_table>> replaced_;
  std::atomic<const guest_table*> guests_now_{nullptr};
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
