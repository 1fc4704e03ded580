#include "actors/session.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <utility>

#include "protocol/error.hpp"

namespace bulkhead::actors {

namespace {

// Larger content is sent from where it lies: copying 16 KiB behind the head
// costs 6 % of such a request.
constexpr std::size_t copied_content_bytes_max = 4 * 1024;

// Pipelined answers are written together up to about this much.
constexpr std::size_t output_bytes_high = 64 * 1024;

// What an exception says, on one line.
std::string describe(std::exception_ptr thrown) {
  std::string text;
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const std::exception& e) {
    text = e.what();
  } catch (...) {
    return "something that is not a std::exception";
  }
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

}  // namespace

void session_link::insert_behind(session_link& other) {
  before = &other;
  after = other.after;
  after->before = this;
  other.after = this;
}

void session_link::unlink() {
  before->after = after;
  after->before = before;
  before = after = this;
}

session::session(caf::actor_config& cfg, reactor& where, shard& local, session_slot slot,
                 unique_fd socket, const peer_address& peer)
    : polled_actor(cfg, where),
      shard_(local),
      slot_(std::move(slot)),
      socket_(std::move(socket)),
      peer_(peer),
      connection_(local.settings().limits),
      timer_(*this),
      deadline_(where.now() + local.settings().deadlines.first_byte) {}

void session::on_exit() {
  home().timers().cancel(timer_);
  unlink();
  if (space_) shard_.spares().give_back(std::move(space_));
  socket_.reset();
  slot_.give_back();
}

void session::on_work(work::bits bits) {
  if (bits & work::stop) return end(caf::exit_reason::user_shutdown);
  if (bits & (work::readable | work::hangup)) may_read_ = true;
  if (bits & work::hangup) peer_hung_up_ = true;
  if (bits & work::returned) resume_after_handler();
  if (!advance()) return;
  // What has arrived goes first: a request is not cut by the deadline that it met.
  if ((bits & work::timeout) && !ended() && home().now() >= deadline_) {
    on_deadline();
    if (!advance()) return;
  }
  if (!ended()) settle();
}

bool session::advance() {
  while (!ended()) {
    if (!flush()) break;
    if (wants_close_ && !finish_closing()) break;
    if (streaming_) {
      if (!continue_stream()) return false;
      continue;
    }
    if (phase_ != phase::lingering) {
      if (!process_input()) return false;
      if (wants_close_ || streaming_ || (space_ && !space_->output.empty())) continue;
    }
    if (!may_read_ || !receive()) break;
  }
  return true;
}

// ------------------------------------------------------------------ requests

bool session::process_input() {
  while (space_ && !wants_close_ && !streaming_) {
    auto& s = *space_;
    if (s.output.size() + s.large_content.size() >= output_bytes_high) return true;
    const auto found = connection_.next(s.input.unread(), s.head);
    s.input.consume(found.consumed);
    if (found.kind == protocol::event_kind::need_more) {
      if (connection_.must_close()) wants_close_ = true;
      if (phase_ == phase::idle && !s.input.empty()) enter(phase::head);
      return true;
    }
    if (!on_event(found)) return false;
  }
  return true;
}

bool session::on_event(const protocol::event& found) {
  switch (found.kind) {
    case protocol::event_kind::head:
      begin_request();
      break;
    case protocol::event_kind::content:
      add_content(found.content);
      break;
    case protocol::event_kind::end:
      return end_request();
    default:
      refuse(connection_.error());
  }
  return true;
}

void session::begin_request() {
  auto& s = *space_;
  s.input.pin(s.head.size_bytes());
  s.parameters = {};
  request_complete_ = false;
  request_id_ = shard_.next_request_id();
  const auto found = shard_.shared().routes.find(s.head, s.parameters);
  handler_ = found.handle;
  if (!handler_) return refuse_by_router(found);
  if (s.head.has_content()) enter(phase::content);
  connection_.write_continue(s.output);
}

// What no handler has to be asked for.
void session::refuse_by_router(const router::match& found) {
  auto answer = [&] {
    switch (found.result) {
      case router::outcome::options:
        return protocol::response(204);
      case router::outcome::method_not_allowed:
        return protocol::response::text("method not allowed\n", 405);
      case router::outcome::not_implemented:
        return protocol::response::text("method not implemented\n", 501);
      default:
        return protocol::response::text("not found\n", 404);
    }
  }();
  if (!found.allow.empty()) answer.set("Allow", found.allow);
  respond(answer);
}

bool session::end_request() {
  request_complete_ = true;
  if (handler_) return call_handler();
  finish_request();
  return true;
}

// The request and its answer are done with: on to the next, or to the end.
void session::finish_request() {
  auto& s = *space_;
  s.input.unpin();
  s.content = {};
  s.joined_content.clear();
  s.answer.reset();
  if (connection_.must_close()) wants_close_ = true;
  enter(phase::idle);
}

void session::refuse(protocol::error why) {
  connection_.refuse(why);
  shard_.counters().requests_refused.add();
  connection_.write_refusal(shard_.date(), space().output);
  wants_close_ = true;
}

// --------------------------------------------------------------- the handler

bool session::call_handler() {
  shard_.counters().requests.add();
  enter(phase::answering);
  in_handler_ = true;
  if (!home().run_user_code([this] { invoke(); })) return false;
  resume_after_handler();
  return true;
}

// User code: meanwhile the reactor may go to another thread.
void session::invoke() {
  auto& s = *space_;
  const bulkhead::request r(s.head, s.content, s.parameters.all(), peer_, request_id_);
  try {
    s.answer = (*handler_)(r);
    return;
  } catch (...) {
    s.thrown = std::current_exception();
  }
  if (!shard_.shared().on_exception) return;
  try {
    s.answer = shard_.shared().on_exception(r, s.thrown);
  } catch (...) {
    // The hook gave nothing: the plain 500 is sent.
  }
}

// On the home thread again, at once or by work::returned.
void session::resume_after_handler() {
  if (!in_handler_) return;
  in_handler_ = false;
  streaming_ ? deliver_piece() : deliver_answer();
}

void session::deliver_answer() {
  auto& s = *space_;
  handler_ = nullptr;
  if (s.thrown)
    respond_to_exception();
  else if (s.answer->source())
    begin_stream(*s.answer);
  else
    respond(*s.answer);
  if (!streaming_) finish_request();
}

void session::respond_to_exception() {
  auto& s = *space_;
  report("the handler threw: " + describe(std::exchange(s.thrown, nullptr)));
  if (!s.answer)
    s.answer = protocol::response::text(
        fmt::format("internal server error; request id {:016x}\n", request_id_), 500);
  s.answer->close();
  respond(*s.answer);
}

void session::respond(protocol::response& answer) {
  auto& s = *space_;
  const bool copy = answer.content().size() <= copied_content_bytes_max;
  const auto fault = copy ? connection_.respond(s.head, answer, shard_.date(), s.output)
                          : connection_.respond_head(s.head, answer, shard_.date(), s.output);
  if (fault) return refuse_answer(*fault);
  if (!copy && protocol::content_follows(s.head.known_method(), answer.status()))
    s.large_content = answer.take_content();
  if (connection_.must_close()) wants_close_ = true;
}

void session::refuse_answer(protocol::write_error fault) {
  report("the handler's response can't be sent: " + std::string(protocol::text_of(fault)));
  connection_.refuse(protocol::error::internal);
  connection_.write_refusal(shard_.date(), space_->output);
  wants_close_ = true;
}

// A fault of the handler's: one log line, and the session ends for it.
void session::report(std::string_view what) {
  const auto& head = space_->head;
  spdlog::error("request {:016x} from {}: {} {}: {}; session closed", request_id_, to_string(peer_),
                head.method(), head.path(), what);
  shard_.counters().handler_exceptions.add();
  outcome_ = caf::exit_reason::unhandled_exception;
}

// ------------------------------------------------------------------ streaming

void session::begin_stream(const protocol::response& answer) {
  auto& s = *space_;
  if (!protocol::allows_content(answer.status()))
    return refuse_answer(protocol::write_error::content_not_allowed);
  if (const auto fault = connection_.begin_stream(s.head, answer, shard_.date(), s.output))
    return refuse_answer(*fault);
  // The answer to HEAD ends here; the source is not asked.
  streaming_ = protocol::content_follows(s.head.known_method(), answer.status());
  if (!streaming_) connection_.finish_stream(s.output);
}

// One piece, and only when everything before it is written: a peer that reads
// slowly stops the source, and no more than one piece is held.
bool session::continue_stream() {
  in_handler_ = true;
  if (!home().run_user_code([this] { pull_piece(); })) return false;
  resume_after_handler();
  return true;
}

void session::pull_piece() {
  auto& s = *space_;
  s.piece.clear();
  try {
    s.source_has_more = s.answer->source()(s.piece);
  } catch (...) {
    s.thrown = std::current_exception();
  }
}

void session::deliver_piece() {
  auto& s = *space_;
  if (s.thrown) {
    report("the stream's source threw: " + describe(std::exchange(s.thrown, nullptr)));
    return abort_connection();
  }
  connection_.write_stream(s.piece, s.output);
  if (s.source_has_more) return;
  connection_.finish_stream(s.output);
  streaming_ = false;
  finish_request();
}

// Half an answer has left: a reset is the only end that no client takes for a
// whole one.
void session::abort_connection() {
  const linger at_once{1, 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  end(outcome_);
}

// ------------------------------------------------------------------- content

void session::add_content(std::string_view piece) {
  if (!handler_) return;  // answered already: nobody wants it
  auto& s = *space_;
  if (s.content.empty()) {
    s.content = piece;
    return;
  }
  detach_content();
  s.joined_content.append(piece);
  s.content = s.joined_content;
}

// Copies content out of the input buffer, whose room is needed.
void session::detach_content() {
  auto& s = *space_;
  if (s.content.empty() || s.content.data() == s.joined_content.data()) return;
  s.joined_content.assign(s.content);
  s.content = s.joined_content;
}

// The head's bytes have moved, and with them everything that was a view of them.
void session::rebase_head() {
  auto& s = *space_;
  s.head.rebase(s.input.pinned());
  s.parameters = {};
  shard_.shared().routes.find(s.head, s.parameters);
}

// ----------------------------------------------------------------- the socket

bool session::receive() {
  auto& s = space();
  detach_content();
  if (s.input.make_room()) rebase_head();
  const auto room = s.input.room();
  const auto got = ::recv(socket_.get(), room.data(), room.size(), 0);
  if (got > 0) {
    // A short read has emptied the socket, and the next byte makes a new edge; but
    // the end of the stream that this edge announced makes none.
    may_read_ = static_cast<std::size_t>(got) == room.size() || peer_hung_up_;
    if (phase_ != phase::lingering) s.input.commit(static_cast<std::size_t>(got));
    return true;
  }
  may_read_ = false;
  if (got < 0) {
    if (errno == EINTR) return may_read_ = true;
    if (errno != EAGAIN) end(outcome_);
    return false;
  }
  peer_ended_ = true;
  connection_.end_of_stream();
  if (phase_ == phase::lingering) end(outcome_);
  return true;
}

// True: everything is written.
bool session::flush() {
  if (!space_) return true;
  auto& s = *space_;
  for (;;) {
    const auto total = s.output.size() + s.large_content.size();
    if (s.sent == total) break;
    const auto of_output = std::min(s.sent, s.output.size());
    const auto of_content = s.sent - of_output;
    std::array<iovec, 2> parts{
        {{s.output.data() + of_output, s.output.size() - of_output},
         {s.large_content.data() + of_content, s.large_content.size() - of_content}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = s.large_content.empty() ? 1 : 2;
    const auto put = s.large_content.empty()
                         ? ::send(socket_.get(), parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL)
                         : ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (put >= 0) {
      s.sent += static_cast<std::size_t>(put);
    } else if (errno != EINTR) {
      if (errno != EAGAIN) end(outcome_);
      return false;
    }
  }
  s.output.clear();
  s.large_content = {};
  s.sent = 0;
  return true;
}

// Everything is written and nothing more will be. A peer that may still be
// sending is read from until it has seen our answer: closing with unread bytes
// would reset the connection and could destroy the answer on its way.
bool session::finish_closing() {
  if (phase_ == phase::lingering) return true;
  const bool peer_is_quiet = request_complete_ && !may_read_ && (!space_ || space_->input.empty());
  if (peer_ended_ || peer_is_quiet) {
    end(outcome_);
    return false;
  }
  ::shutdown(socket_.get(), SHUT_WR);
  if (space_) space_->input.clear();
  enter(phase::lingering);
  return true;
}

// Nothing can be done before the next event: wait for it, with little memory.
// The timer is not moved when the deadline becomes later, which happens with
// every request: it fires, finds that nothing is due, and is armed again here.
void session::settle() {
  if (space_ && space_->output.empty() && space_->input.empty() && connection_.idle())
    shard_.spares().give_back(std::move(space_));
  if (!is_watched() && !watch(socket_.get())) return end(caf::exit_reason::unknown);
  if (deadline_ != time_point::max() && (!timer_.armed() || timer_.due() > deadline_))
    home().timers().arm(timer_, deadline_);
}

// ------------------------------------------------------------------ deadlines

void session::enter(phase next) {
  phase_ = next;
  const auto limit = deadline_of(next);
  deadline_ = limit.count() > 0 ? home().now() + limit : time_point::max();
}

std::chrono::milliseconds session::deadline_of(phase p) const {
  const auto& settings = shard_.settings();
  switch (p) {
    case phase::idle:
      return settings.deadlines.idle;
    case phase::head:
      return settings.deadlines.head;
    case phase::lingering:
      return settings.deadlines.linger;
    case phase::content:
    case phase::answering:
      break;
  }
  return {};
}

void session::on_deadline() {
  if (phase_ == phase::head)
    refuse(protocol::error::head_timeout);
  else
    end(outcome_);
}

workspace& session::space() {
  if (!space_) space_ = shard_.spares().take();
  return *space_;
}

}  // namespace bulkhead::actors
