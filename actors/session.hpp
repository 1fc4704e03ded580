// One connection as one actor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "actors/exchange.hpp"
#include "actors/gate.hpp"
#include "actors/runtime/polled_actor.hpp"
#include "actors/runtime/timer_heap.hpp"
#include "actors/shard.hpp"
#include "actors/transport.hpp"
#include "actors/workspace.hpp"

namespace bulkhead::actors {

class acceptor;

// Moves bytes between its transport and its exchanges, runs user code, and keeps
// the deadlines. Whatever its handler throws ends this session and no other: 500,
// close, a completion to the acceptor, and a down message when it is gone.
//
// It ends in steps: everything that it holds is given back at once; then its one
// completion goes to the acceptor, through the gate, by a retry each millisecond
// while that is full; when the acceptor has acknowledged, the actor is over.
class session final : public polled_actor, public session_link {
 public:
  session(caf::actor_config& cfg, reactor& home, shard& local, acceptor& parent, session_slot slot,
          unique_fd socket, const peer_address& peer,
          std::shared_ptr<tls::configurations> secured_by);

  const char* name() const override { return "session"; }
  void on_exit() override;

  // --- for the shard and the acceptor, on the home thread ---

  std::size_t held_bytes() const { return charged_bytes_; }
  bool is_shed() const { return shed_; }
  // Over the memory budget: ends soon.
  void shed();

 protected:
  void on_work(work::bits bits) override;
  void on_busy(work::bits bits) override;
  void on_handover() override;

 private:
  static constexpr std::chrono::milliseconds completion_retry{1};
  // Calls of user code before other sessions of the reactor have their turn; a
  // stream gives them one after each piece, and so does a file.
  static constexpr unsigned calls_per_turn = 32;
  // How long content may be slow before its rate is judged, and how often it is.
  static constexpr std::chrono::milliseconds rate_interval{5'000};
  // A module is cut off by the watchdog at its deadline: what that says goes first.
  static constexpr std::chrono::milliseconds module_grace{1'000};

  // False: the reactor is lost, return at once.
  bool advance();
  bool call_user_code();
  void return_from_user_code();

  // False: wait for the next event, or over.
  bool flush();
  bool receive();
  void begin_to_serve();
  void refuse_handshake();
  bool finish_closing();
  void begin_to_drain();

  void settle();
  void set_deadline();
  std::chrono::milliseconds deadline_of(exchange::phase what) const;
  bool is_due() const { return home().now() >= deadline_; }
  void arm_timer();
  void on_deadline();
  void judge_content();

  void close(reason why);
  void complete();
  void charge();
  void set_charged(std::size_t now);

  workspace& space();

  shard& shard_;
  acceptor& parent_;
  session_slot slot_;
  peer_address peer_;
  transport transport_;
  exchange exchange_;
  std::unique_ptr<workspace> space_;  // none while idle

  timer timer_;
  time_point deadline_;
  time_point phase_began_;
  std::uint32_t seen_generation_ = 0;
  std::size_t charged_bytes_ = 0;
  completion_credit credit_;
  bool in_user_code_ : 1 = false;  // it runs, or has returned to another thread
  bool abandoned_ : 1 = false;     // the answer was given in the place of user code
  bool blocked_ : 1 = false;       // the peer takes no more of our output
  bool lingering_ : 1 = false;     // all is sent; what comes is dropped
  bool peer_ended_ : 1 = false;    // its last byte was read
  bool closed_ : 1 = false;        // everything is given back
  bool shed_ : 1 = false;
  bool handshaking_ : 1 = false;
};

}  // namespace bulkhead::actors
