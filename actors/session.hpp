// One connection as one actor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "actors/runtime/polled_actor.hpp"
#include "actors/runtime/timer_heap.hpp"
#include "actors/shard.hpp"
#include "actors/socket.hpp"
#include "actors/workspace.hpp"
#include "protocol/server_connection.hpp"

namespace bulkhead::actors {

// Links a session into its acceptor's list of the living; both on one thread.
struct session_link {
  session_link* before = this;
  session_link* after = this;

  void insert_behind(session_link& other);
  void unlink();
};

// Reads, parses, routes, runs the handler inside itself and writes, all in one
// resume. Whatever its handler throws ends this session and no other: 500,
// close, and a down message to the acceptor that monitors it.
class session final : public polled_actor, public session_link {
 public:
  session(caf::actor_config& cfg, reactor& home, shard& local, session_slot slot, unique_fd socket,
          const peer_address& peer);

  const char* name() const override { return "session"; }
  void on_exit() override;

 protected:
  void on_work(work::bits bits) override;

 private:
  // What is waited for; each phase has its own absolute deadline.
  enum class phase : std::uint8_t { idle, head, content, answering, lingering };

  // Steps that answer bool say "go on". False from the first group: the reactor
  // is lost, return at once; from the second: wait for the next event.
  bool advance();
  bool process_input();
  bool on_event(const protocol::event& found);
  bool end_request();
  bool call_handler();
  bool continue_stream();

  bool receive();
  bool flush();
  bool finish_closing();

  void begin_request();
  void finish_request();
  void refuse(protocol::error why);
  void refuse_by_router(const router::match& found);

  void invoke();
  void pull_piece();
  void resume_after_handler();
  void deliver_answer();
  void deliver_piece();
  void respond(protocol::response& answer);
  void begin_stream(const protocol::response& answer);
  void respond_to_exception();
  void refuse_answer(protocol::write_error fault);
  void report(std::string_view what);
  void abort_connection();

  void add_content(std::string_view piece);
  void detach_content();
  void rebase_head();

  void settle();
  void enter(phase next);
  std::chrono::milliseconds deadline_of(phase p) const;
  void on_deadline();

  workspace& space();

  shard& shard_;
  session_slot slot_;
  unique_fd socket_;
  peer_address peer_;
  protocol::server_connection connection_;
  std::unique_ptr<workspace> space_;  // none while idle
  const handler* handler_ = nullptr;  // of the current request; none: it was answered already
  std::uint64_t request_id_ = 0;

  timer timer_;
  time_point deadline_;
  phase phase_ = phase::idle;
  caf::exit_reason outcome_ = caf::exit_reason::normal;
  bool may_read_ : 1 = true;          // the socket had more when it was last read
  bool peer_hung_up_ : 1 = false;     // an edge said so: read on until the end shows
  bool peer_ended_ : 1 = false;       // it sent its FIN
  bool request_complete_ : 1 = true;  // nothing of the current request is to come
  bool in_handler_ : 1 = false;       // user code runs, or has just returned
  bool streaming_ : 1 = false;        // the answer has more content to give
  bool wants_close_ : 1 = false;      // close once everything is written
};

}  // namespace bulkhead::actors
