#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "actors/runtime/caf.hpp"
#include "actors/runtime/pollable.hpp"

namespace bulkhead::actors {

class reactor;

// The scheduling word. `scheduled` is held by whoever may run the actor; the
// other bits say what there is to do.
namespace work {
using bits = std::uint16_t;
constexpr bits scheduled = 1;
constexpr bits readable = 2;         // bytes, a connection or a wake-up may be read
constexpr bits writable = 4;         // there is room to write
constexpr bits hangup = 8;           // the peer has sent its last byte, or worse
constexpr bits gone = 16;            // the connection is reset, or over on both sides
constexpr bits mail = 32;            // CAF's mailbox has messages
constexpr bits timeout = 64;         // the actor's timer is due
constexpr bits returned = 128;       // user code ended on a thread that had lost the reactor
constexpr bits stop = 256;           // end now
constexpr bits drain = 512;          // end when what was begun is done
constexpr bits completion = 1024;    // somebody has completed
constexpr bits acknowledged = 2048;  // our completion was taken note of
constexpr bits shed = 4096;          // the server holds too much, and the most of it here
}  // namespace work

// A CAF actor that a reactor resumes directly when its descriptor is ready:
// no message and no allocation an event. Whoever sets `scheduled` first runs it,
// so that exactly one thread ever does; readiness, timers and CAF's mailbox all
// come through the same word. An actor has one home reactor for life, and keeps
// itself alive until it has ended.
//
// Derived classes run on the home reactor's thread only, except inside
// reactor::run_user_code, after which they must return at once when it says
// that the reactor was lost: they are resumed with `returned` at home.
class polled_actor : public caf::event_based_actor, public pollable {
 public:
  polled_actor(caf::actor_config& cfg, reactor& home);

  reactor& home() const { return *home_; }

  // Runs the actor now with `bits` as its work, unless it is running or queued,
  // in which case it will see them. On the home reactor's thread only. False:
  // the reactor was lost inside.
  bool run(work::bits bits);

  // The same through the home reactor's queue; from any thread that holds a
  // reference.
  void post(work::bits bits);

  // For CAF's own path (mailbox unblocked): adopts one reference.
  void post_adopted(work::bits bits);

  // Once, by spawn_polled: takes the reference that the reactor buries at the end.
  void keep_itself();

  bool on_events(std::uint32_t events) final;

  // Marks actors that the scheduler may cast to polled_actor. No other actor of
  // this process has it: CAF's I/O module is not loaded.
  subtype_t subtype() const final { return io_actor; }
  resume_result resume(caf::execution_unit* unit, std::size_t max_throughput) final;

 protected:
  // Does what `bits` say. An exception ends the actor as exit_reason::unhandled_exception.
  virtual void on_work(work::bits bits) = 0;
  // Home's thread has `bits` for the actor while it is queued, or while its user
  // code runs on a thread that has lost the reactor. They are kept for on_work().
  virtual void on_busy(work::bits bits);
  // The reactor has been taken from the thread that runs this actor's user code;
  // called on the new holder's thread.
  virtual void on_handover();
  // A message of CAF's that is neither down nor exit.
  caf::behavior make_behavior() final;

  // Ends the actor after on_work has returned; on_exit() then releases what it holds.
  void end(caf::error reason = {}) { quit(std::move(reason)); }
  bool ended() const { return getf(is_shutting_down_flag); }

  // Watches `fd` for this actor from now on, edge-triggered, until it is closed.
  // Once. False: the system refused (errno).
  bool watch(int fd);
  bool is_watched() const { return watched_; }

 private:
  friend class reactor;

  // One step of resume: false when the reactor was lost.
  bool work_through(work::bits bits, caf::execution_unit* unit);

  reactor* home_;
  std::atomic<work::bits> word_{0};
  bool watched_ = false;
  bool keeps_itself_ = false;
};

}  // namespace bulkhead::actors
