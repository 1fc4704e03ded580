// A reactor's guests: one actor that drives the executor of their sandboxes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/gate.hpp"
#include "actors/guest.hpp"
#include "actors/runtime/polled_actor.hpp"
#include "actors/runtime/timer_heap.hpp"
#include "actors/service.hpp"
#include "actors/socket.hpp"
#include "sandbox/process/executor.hpp"

namespace bulkhead::actors {

// Who started a request; must cancel it before it goes away.
class guest_waiter {
 public:
  // Once, on the home thread, from inside the host's turn.
  virtual void on_outcome(sandbox::outcome&& how) = 0;

 protected:
  ~guest_waiter() = default;
};

// The executor's descriptors lie in an epoll set of their own, which is what the reactor watches:
// the executor knows nothing of actors, and the reactor nothing of sandboxes. Sessions of the same
// reactor call it directly, on its thread.
class guest_host final : public polled_actor, private sandbox::watcher {
 public:
  using ticket = sandbox::process_executor::ticket;

  // Its share of each handler's concurrency is one in `reactors`.
  guest_host(caf::actor_config& cfg, reactor& home, service& shared, unsigned reactors);

  const char* name() const override { return "guest_host"; }
  void on_exit() override;

  // Before its first work, on a thread that outlives the reactor and touches nothing of it: loads
  // the handlers of the settings. Throws std::runtime_error that names what can't be had.
  void begin();

  // The handlers in force. Good until the next call: who needs them longer copies it.
  const service::held_guests& table() {
    if (!shared_.are_in_force(table_.get())) table_ = shared_.guests();
    return table_;
  }

  // The bound of what the handler has accepted on this reactor and not answered.
  gate& gate_of(const std::shared_ptr<guest>& which);
  // Behind the gate; its time counts from when it `began`. One on_outcome() will come, unless it is
  // cancelled before; maybe at once.
  ticket start(const std::shared_ptr<guest>& which, std::string_view blob, time_point began,
               guest_waiter& who);
  // The request's client has gone. What runs goes on to its end or deadline.
  void cancel(ticket which);

 protected:
  // completion: other handlers are configured; stop: all sessions have ended.
  void on_work(work::bits bits) override;

 private:
  struct place {
    std::shared_ptr<guest> keep;
    sandbox::handler_settings settings;
    sandbox::process_executor::handler_id id = 0;  // 0: it could not be added yet
    sandbox::back_off adding;
    std::string failure;  // why it can't be had; empty: it can
    std::string told;     // the same, as its owner knows it
    gate entry;
    std::size_t running = 0;

    place(std::shared_ptr<guest> which, sandbox::handler_settings how)
        : keep(std::move(which)),
          settings(std::move(how)),
          adding(settings.retry_after, settings.retry_after_max),
          entry(settings.waiting_max) {}
  };
  struct started {
    guest_waiter* who;
    place* where;
  };

  void watch(int fd) override;
  void forget(int fd) override;

  std::string start_executor();
  place& place_of(const std::shared_ptr<guest>& which);
  void add(place& where);
  void tell(place& where) const;
  void adopt();
  void look_after_places();
  void drop_leaving();
  void take_events();
  void deliver();
  void settle();

  service& shared_;
  service::held_guests table_;
  const unsigned reactors_;
  unique_fd epoll_;
  timer timer_;
  std::unique_ptr<sandbox::process_executor> executor_;
  std::unordered_map<const guest*, std::unique_ptr<place>> places_;
  std::unordered_map<ticket, started> started_;
  std::vector<const guest*> leaving_;  // that the settings do not name any more
};

}  // namespace bulkhead::actors
