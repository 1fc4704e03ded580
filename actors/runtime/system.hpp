#pragma once

#include <utility>

#include "actors/runtime/caf.hpp"
#include "actors/runtime/scheduler.hpp"

namespace bulkhead::actors {

// A CAF actor system on our scheduler. All polled actors must have ended, and
// the last outside reference to them must be gone, before it is destroyed:
// hidden actors are not awaited, and a late reference would outlive the system.
class runtime_system {
 public:
  explicit runtime_system(scheduler_options options);

  caf::actor_system& actors() { return system_; }
  scheduler& reactors() { return static_cast<scheduler&>(system_.scheduler()); }

 private:
  class settings : public caf::actor_system_config {
   public:
    explicit settings(scheduler_options options);
  };

  settings settings_;
  caf::actor_system system_;
};

// A reference to a polled actor that keeps its type.
template <class T>
class actor_ref {
 public:
  explicit actor_ref(const caf::actor& handle)
      : owner_(caf::actor_cast<caf::strong_actor_ptr>(handle)) {}
  T* get() const { return static_cast<T*>(owner_->get()); }
  T* operator->() const { return get(); }

 private:
  caf::strong_actor_ptr owner_;
};

// Spawns a polled actor of type T on `home`, asleep: nothing runs until the
// caller says run() (on home's thread) or post().
template <class T, class... Args>
actor_ref<T> spawn_polled(reactor& home, Args&&... args) {
  caf::actor_config cfg{&home};
  actor_ref<T> child(home.system().spawn_class<T, caf::hidden + caf::lazy_init>(
      cfg, std::ref(home), std::forward<Args>(args)...));
  child->keep_itself();
  return child;
}

}  // namespace bulkhead::actors
