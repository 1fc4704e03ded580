// Accepts connections on one listening socket and spawns a session for each.
#pragma once

#include <cstddef>

#include "actors/runtime/polled_actor.hpp"
#include "actors/runtime/timer_heap.hpp"
#include "actors/session.hpp"
#include "actors/shard.hpp"
#include "actors/socket.hpp"

namespace bulkhead::actors {

// One a reactor and listener: sessions stay on the reactor that accepted them.
// It monitors them and ends, once told to stop, behind the last of them. A
// failed accept costs that connection, never the listener.
class acceptor final : public polled_actor {
 public:
  acceptor(caf::actor_config& cfg, reactor& home, shard& local, unique_fd listener);

  const char* name() const override { return "acceptor"; }
  void on_exit() override;

 protected:
  void on_work(work::bits bits) override;

 private:
  // Connections a turn, so that accepting can't starve the accepted.
  static constexpr unsigned accepts_per_turn = 64;
  static constexpr std::chrono::milliseconds pause{50};

  void accept_some();
  void admit(unique_fd socket, const peer_address& peer);
  void turn_away(unique_fd socket);
  void pause_accepting(int reason);
  void begin_to_stop();
  void on_session_down();

  shard& shard_;
  unique_fd listener_;
  session_link sessions_;  // head of the list of the living
  std::size_t alive_ = 0;  // sessions whose down message has not come
  timer timer_;
  bool stopping_ = false;
};

}  // namespace bulkhead::actors
