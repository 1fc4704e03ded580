// Accepts connections on one listening socket and spawns a session for each.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "actors/runtime/polled_actor.hpp"
#include "actors/runtime/timer_heap.hpp"
#include "actors/session.hpp"
#include "actors/shard.hpp"
#include "actors/socket.hpp"

namespace bulkhead::actors {

// One a reactor and listener: sessions stay on the reactor that accepted them. It
// takes note of their completions, monitors them, and ends, once told to stop or
// drain, behind the last of them. A failed accept costs that connection, never
// the listener.
class acceptor final : public polled_actor {
 public:
  acceptor(caf::actor_config& cfg, reactor& home, shard& local, unique_fd listener, bool secure);

  const char* name() const override { return "acceptor"; }
  void on_exit() override;

  // A child has entered the gate of completions. On the home thread.
  void take_completion(session& from);

 protected:
  void on_work(work::bits bits) override;

 private:
  // Connections a turn, so that accepting can't starve the accepted.
  static constexpr unsigned accepts_per_turn = 64;

  void accept_some();
  bool accept_one();
  void admit(unique_fd socket, const peer_address& peer);
  void turn_away(unique_fd socket);
  void on_shortage(int reason);
  void handle_completions();
  void begin_to_drain();
  void stop_sessions();
  void close_listener();
  void on_session_down();

  shard& shard_;
  unique_fd listener_;
  const bool secure_;      // its sessions have TLS
  unique_fd reserve_;      // given up to accept and close when there is no other
  std::size_t alive_ = 0;  // sessions whose down message has not come
  std::vector<caf::strong_actor_ptr> completions_;
  timer timer_;
  time_point last_warning_;
  std::chrono::milliseconds pause_;
  bool ending_ = false;  // behind the last session
};

}  // namespace bulkhead::actors
