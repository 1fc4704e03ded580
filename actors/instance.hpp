// Everything of a server that lives from start() to stop().
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "actors/acceptor.hpp"
#include "actors/guest_host.hpp"
#include "actors/guest_report.hpp"
#include "actors/heartbeat.hpp"
#include "actors/metrics.hpp"
#include "actors/runtime/system.hpp"
#include "actors/server.hpp"
#include "actors/service.hpp"
#include "actors/shard.hpp"
#include "actors/signals_blocked.hpp"
#include "actors/socket.hpp"

namespace bulkhead::actors {

// The members' order is their lifetime: sessions use shards, and everything that is
// an actor must have ended, and all references to it must be gone, before the system
// goes.
class instance {
 public:
  struct door {
    std::vector<unique_fd> sockets;  // one a reactor
    bool secure;
  };

  instance(service& shared, std::vector<door> doors, unsigned threads);
  ~instance() { stop(); }

  void begin_to_drain();
  // Other handlers are configured.
  void adopt_guests();
  // Whether everything has ended within that time.
  bool wait_for_end(std::chrono::milliseconds time);
  // Ends everything and waits for it; again: nothing. From any thread.
  void stop();
  statistics stats();
  metrics_snapshot figures();
  // What keeps it from serving, in a few words; nothing: all is well.
  std::string fault() { return pulse_.ask(std::chrono::seconds(1)); }
  // What is known of the guests, as JSON.
  std::string handlers() const { return describe_guests(shared_.guests()->all); }
  unsigned reactors() const { return static_cast<unsigned>(shards_.size()); }
  std::string unreadiness() const { return draining_ ? "draining" : ""; }

 private:
  void add_host(shard& local, unsigned threads);

  service& shared_;
  std::vector<std::unique_ptr<shard>> shards_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t acceptors_alive_;
  std::size_t hosts_alive_ = 0;
  std::atomic<bool> draining_{false};
  runtime_system system_;
  heartbeat pulse_{system_.reactors()};
  std::vector<actor_ref<acceptor>> acceptors_;
  std::vector<actor_ref<guest_host>> hosts_;  // behind the last session
};

// Makes an instance on a thread of its own and takes it down there. CAF keeps a
// reference to a system's logger for each thread that made it or spawned in it,
// and the system waits for all of them when it goes: on threads of the embedder
// that could be for ever.
class running_server {
 public:
  // Rethrows what the instance's construction throws.
  template <class... Args>
  explicit running_server(Args&&... args) {
    const signals_blocked blocked;
    owner_ = std::thread([&] {
      try {
        instance made_here(std::forward<Args>(args)...);
        made_.set_value(&made_here);
        finish_.wait();
      } catch (...) {
        made_.set_exception(std::current_exception());
      }
    });
    try {
      instance_ = made_.get_future().get();
    } catch (...) {
      owner_.join();
      throw;
    }
  }
  ~running_server() {
    instance_->stop();
    finish_.count_down();
    owner_.join();
  }
  running_server(const running_server&) = delete;
  running_server& operator=(const running_server&) = delete;

  instance* operator->() { return instance_; }

 private:
  std::promise<instance*> made_;
  std::latch finish_{1};
  std::thread owner_;
  instance* instance_ = nullptr;
};

}  // namespace bulkhead::actors
