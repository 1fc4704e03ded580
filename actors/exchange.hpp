// The exchanges of one connection: from a request's bytes to its answer's bytes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "actors/access_record.hpp"
#include "actors/router.hpp"
#include "actors/secure_channel.hpp"
#include "actors/shard.hpp"
#include "actors/socket.hpp"
#include "actors/workspace.hpp"
#include "protocol/server_connection.hpp"

namespace bulkhead::actors {

// Turns protocol events into calls of user code, and what user code gives into
// output. It has no socket and no timer: the session moves bytes, runs user code
// where it may take long, and keeps the deadlines of the phases.
class exchange {
 public:
  // What advance() needs before it can go on.
  enum class need : std::uint8_t {
    input,      // more bytes, behind those in the workspace
    output,     // the output to be sent
    user_code,  // run_user_code(), then finish_user_code()
    pause,      // some time: the source has nothing yet; then ask_source_again()
    outcome,    // a sandbox's: the owner is woken, or see wants_place()
    turn,       // nothing: others of the reactor go first
    close,      // nothing: send what there is and end the connection
  };

  // What is waited for; each phase has a deadline of its own. `stream`: the next
  // piece of a streamed answer or of a file.
  enum class phase : std::uint8_t { first_byte, idle, head, content, handler, stream };

  // The owner is woken when a sandbox has answered.
  exchange(shard& local, const peer_address& peer, polled_actor& owner);

  need advance(workspace& space);

  // Calls the handler, or a part of it. Touches nothing but the answer and the
  // content in the workspace, so that everything else may be used meanwhile.
  void run_user_code(workspace& space) noexcept;
  void finish_user_code(workspace& space);
  // User code has not returned in time: answers 503 in its place, or 504 in a guest's. What it
  // gives later must not come to finish_user_code().
  void replace_user_code(workspace& space);
  // Read by user code on another thread: the answer is not wanted any more.
  std::atomic<bool>& cancelled() { return cancelled_; }

  // The source of the answer has nothing yet.
  bool source_pauses() const { return source_pauses_; }
  void ask_source_again() { source_pauses_ = false; }

  // A sandbox's queue is full: advance() after guest_call::retry.
  bool wants_place(const workspace& space) const;
  // How long a handler may take: `most`, less for a guest that nobody else cuts off, or a little
  // more for one that somebody does.
  std::chrono::milliseconds handler_time(std::chrono::milliseconds most) const;
  // A sandbox has not answered by the server's own deadline.
  void cut_guest(workspace& space);

  // The kernel does not send this file: go on by reading it.
  void read_this_file(workspace& space);
  // The file has become shorter or can't be read: the connection is to be reset.
  void cut_file(workspace& space);

  // The connection has TLS: files are read, for the kernel can't encrypt them, and
  // handlers are told. It must outlive this.
  void begin_secure(secure_channel& channel) {
    channel_ = &channel;
    facts_ = &channel.facts();
    reads_files_ = true;
  }

  void end_of_stream() {
    connection_.end_of_stream();
    if (upgrade_) closing_ = true;
  }
  // Refuses, with an answer if one can still be given.
  void refuse(protocol::error why, reason counted_as, workspace& space);
  // The next answer is the last.
  void drain();
  // The input buffer has moved, and with it what was a view of it.
  void rebase(workspace& space);
  // Copies content that lies in the input buffer, whose room is needed.
  void detach_content(workspace& space);

  phase now() const { return phase_; }
  // Changes with every phase; tells a deadline that was set for an earlier one.
  std::uint32_t generation() const { return generation_; }
  // Between requests, nothing read: the workspace is not needed, and the
  // connection may end without loss.
  bool is_idle() const { return (connection_.idle() && !sending_file_) || upgrade_; }
  // All of the current request has come.
  bool has_whole_request() const { return whole_request_; }
  // Half an answer was written and the rest will not come: the end must be a reset.
  bool is_broken() const { return broken_; }
  // More of the current answer is to come than was queued.
  bool has_open_answer() const { return streaming_ || sending_file_; }
  bool is_streaming() const { return streaming_; }
  bool draining() const { return draining_; }
  // Content received so far and since when, to judge its rate.
  std::uint64_t content_bytes() const { return content_bytes_; }

  // Why the connection ends, for whoever asks when it does.
  reason outcome() const { return outcome_; }

  // The connection ends before the current request was over: tells the log.
  void report_cut(reason why, const workspace* space, std::string_view detail = {});

 private:
  enum class user_code : std::uint8_t {
    none,
    handler,
    source,
    file,
    upload,
    content,
    content_end,
    upgraded,  // bytes of another protocol
    upgraded_drain,
    guest,            // none here: a sandbox has it
    guest_on_thread,  // the same, on this thread
  };

  void enter(phase next);
  void begin_request(workspace& space);
  void refuse_misdirected(workspace& space);
  void refuse_by_router(const router::match& found, workspace& space);
  void take_content(std::string_view piece, workspace& space);
  void end_request(workspace& space);
  void finish_request(workspace& space, reason why, std::string_view detail = {});
  void release_request(workspace& space);

  void call(user_code what);
  void answer_exception(workspace& space);
  void deliver_answer(workspace& space);
  // In exchange_stream.cpp:
  void begin_stream(const protocol::response& answer, workspace& space);
  void deliver_piece(workspace& space);
  // In exchange_file.cpp:
  void begin_file(const protocol::response& answer, workspace& space);
  // What is to be done for the file; nothing: look again.
  std::optional<need> queue_file(workspace& space);
  void read_file_piece(workspace& space);
  void deliver_file_piece(workspace& space);
  void end_file(workspace& space, reason why, std::string_view detail = {});
  // In exchange_guest.cpp:
  // More content than the target may be asked, if it is a guest.
  bool exceeds_guest(std::uint64_t content_bytes) const;
  void begin_guest(workspace& space);
  std::optional<need> advance_guest(workspace& space);
  void finish_guest(workspace& space);
  void replace_guest(workspace& space);
  void log_guest(reason why, std::string_view detail, const workspace& space);
  // In exchange_upgrade.cpp:
  void begin_upgrade(const protocol::response& answer, workspace& space);
  std::optional<need> advance_upgraded(workspace& space);
  void run_upgraded(workspace& space);
  void finish_upgraded(user_code called, workspace& space);
  void respond(protocol::response& answer, workspace& space);
  void refuse_answer(protocol::write_error fault, workspace& space);
  void fail(reason why, std::string_view detail, workspace& space);
  void log_fault(reason why, std::string_view detail, const workspace& space);
  void record(reason why, std::string_view detail, int status, const workspace* space);

  shard& shard_;
  const peer_address& peer_;
  polled_actor& owner_;
  const secure_channel* channel_ = nullptr;  // of a connection with TLS
  const tls_facts* facts_ = nullptr;
  protocol::server_connection connection_;
  const route_target* target_ = nullptr;  // of the current request, until it is answered
  std::shared_ptr<protocol::upgrade_handler> upgrade_;  // once the connection is its
  std::uint64_t request_id_ = 0;
  std::uint64_t content_bytes_ = 0;
  std::uint64_t queued_before_ = 0;  // of the output, when the request began
  time_point begun_;
  std::uint32_t generation_ = 0;
  std::uint16_t status_ = 0;  // of the current answer
  phase phase_ = phase::first_byte;
  user_code pending_ = user_code::none;
  reason outcome_ = reason::closed;
  std::atomic<bool> cancelled_{false};
  bool in_request_ : 1 = false;  // a head was read, and no record has been made of it
  bool whole_request_ : 1 = true;
  bool streaming_ : 1 = false;  // the answer's source has more
  bool source_pauses_ : 1 = false;
  bool sending_file_ : 1 = false;  // the answer's file is not sent to its end
  bool turn_due_ : 1 = false;      // a piece of it was sent
  bool reads_files_ : 1 = false;   // all of them
  bool reads_this_file_ : 1 = false;
  bool closing_ : 1 = false;  // the connection ends behind the output
  bool broken_ : 1 = false;
  bool draining_ : 1 = false;
  bool upgrade_drained_ : 1 = false;  // it has had its last words
  bool end_recorded_ : 1 = false;     // why the connection ends is in the log already
};

}  // namespace bulkhead::actors
