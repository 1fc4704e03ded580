#include "actors/exchange.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "actors/describe.hpp"
#include "actors/flight_recorder.hpp"
#include "actors/guest_call.hpp"
#include "protocol/error.hpp"
#include "protocol/response_writer.hpp"

namespace bulkhead::actors {

namespace {

// Pipelined answers are written together up to about this much.
constexpr std::size_t output_bytes_high = 64 * 1024;

}  // namespace

exchange::exchange(shard& local, const peer_address& peer, polled_actor& owner)
    : shard_(local),
      peer_(peer),
      owner_(owner),
      connection_(local.settings().limits),
      begun_(local.home().now()) {}

void exchange::enter(phase next) {
  phase_ = next;
  ++generation_;
}

exchange::need exchange::advance(workspace& s) {
  for (;;) {
    if (sending_file_ && pending_ == user_code::none) {
      if (const auto what = queue_file(s)) return *what;
      continue;
    }
    if (pending_ == user_code::guest) {
      if (const auto what = advance_guest(s)) return *what;
      continue;
    }
    if (closing_) return need::close;
    if (source_pauses_) return s.out.empty() ? need::pause : need::output;
    if (streaming_ && pending_ == user_code::none) pending_ = user_code::source;
    // A source is asked only when every piece before is written: a peer that
    // reads slowly stops it.
    if (pending_ == user_code::source && !s.out.empty()) return need::output;
    if (pending_ != user_code::none) return need::user_code;
    if (s.out.has_content() || s.out.size() >= output_bytes_high) return need::output;
    if (upgrade_) {
      if (const auto what = advance_upgraded(s)) return *what;
      continue;
    }
    const auto found = connection_.next(s.input.unread(), s.head);
    s.input.consume(found.consumed);
    switch (found.kind) {
      case protocol::event_kind::head:
        begin_request(s);
        break;
      case protocol::event_kind::content:
        take_content(found.content, s);
        break;
      case protocol::event_kind::end:
        end_request(s);
        break;
      case protocol::event_kind::refused:
        refuse(connection_.error(), reason_of(connection_.error()), s);
        break;
      case protocol::event_kind::need_more:
        if (connection_.must_close()) {
          closing_ = true;
          break;
        }
        if (!s.input.empty() && (phase_ == phase::idle || phase_ == phase::first_byte)) {
          begun_ = shard_.home().now();
          enter(phase::head);
        }
        return s.out.empty() ? need::input : need::output;
    }
  }
}

// ------------------------------------------------------------------ requests

void exchange::begin_request(workspace& s) {
  if (phase_ != phase::head) begun_ = shard_.home().now();
  s.input.pin(s.head.size_bytes());
  s.parameters = {};
  whole_request_ = false;
  content_bytes_ = 0;
  status_ = 0;
  in_request_ = true;
  queued_before_ = s.out.queued_total();
  request_id_ = shard_.next_request_id();
  if (channel_ && channel_->is_misdirected(s.head.authority())) return refuse_misdirected(s);
  const auto& handlers = shard_.guests()->table();
  const auto found = shard_.shared().find_route(*handlers, s.head, s.parameters);
  target_ = found.target;
  if (target_ && target_->guest) s.handlers = handlers;
  if (s.head.has_content()) enter(phase::content);
  if (!target_) return refuse_by_router(found, s);
  if (exceeds_guest(s.head.content_length().value_or(0)))
    return refuse(protocol::error::content_too_large, reason::too_large, s);
  connection_.write_continue(s.out.bytes());
  if (target_->receive) call(user_code::upload);
}

// RFC 9110 section 7.4: another virtual host's certificate was shown, and its rules for
// clients were kept.
void exchange::refuse_misdirected(workspace& s) {
  auto answer = protocol::response::text("misdirected request\n", 421);
  answer.close();
  respond(answer, s);
  record(reason::served, {}, status_, &s);
}

// What no handler has to be asked for.
void exchange::refuse_by_router(const router::match& found, workspace& s) {
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
  // Content that nobody wants is read for the connection's sake, but not all of it.
  const auto unwanted = s.head.chunked() ? ~std::uint64_t{0} : s.head.content_length().value_or(0);
  if (unwanted > shard_.settings().discarded_content_bytes_max) answer.close();
  respond(answer, s);
  if (closing_) record(reason::served, {}, status_, &s);
}

void exchange::take_content(std::string_view piece, workspace& s) {
  content_bytes_ += piece.size();
  if (!target_) return;  // answered already: nobody wants it
  if (exceeds_guest(content_bytes_))
    return refuse(protocol::error::content_too_large, reason::too_large, s);
  if (target_->receive) {
    s.content = piece;
    return call(user_code::content);
  }
  if (s.content.empty()) {
    s.content = piece;
    return;
  }
  detach_content(s);
  s.joined_content.append(piece);
  s.content = s.joined_content;
}

void exchange::detach_content(workspace& s) {
  if (s.content.empty() || s.content.data() == s.joined_content.data()) return;
  s.joined_content.assign(s.content);
  s.content = s.joined_content;
}

void exchange::rebase(workspace& s) {
  s.head.rebase(s.input.pinned());
  s.parameters = {};
  // Of those among whom it was found: others may be configured by now.
  if (target_)
    (s.handlers ? s.handlers->routes : shard_.shared().routes).find(s.head, s.parameters);
}

void exchange::end_request(workspace& s) {
  whole_request_ = true;
  if (target_ && target_->guest) return begin_guest(s);
  if (target_) return call(target_->receive ? user_code::content_end : user_code::handler);
  finish_request(s, reason::served);
}

// The request and its answer are done with: on to the next, or to the end.
void exchange::finish_request(workspace& s, reason why, std::string_view detail) {
  record(why, detail, status_, &s);
  release_request(s);
}

void exchange::release_request(workspace& s) {
  target_ = nullptr;
  s.handlers.reset();
  streaming_ = false;
  sending_file_ = turn_due_ = reads_this_file_ = false;
  s.file.reset();
  s.input.unpin();
  s.content = {};
  s.joined_content.clear();
  s.answer.reset();
  s.receiver = {};
  if (connection_.must_close()) closing_ = true;
  if (draining_) connection_.close_after_response();
  enter(phase::idle);
}

void exchange::refuse(protocol::error why, reason counted_as, workspace& s) {
  connection_.refuse(why);
  outcome_ = counted_as;
  broken_ = broken_ || streaming_;
  if (!in_request_) queued_before_ = s.out.queued_total();
  connection_.write_refusal(shard_.date(), s.out.bytes());
  closing_ = true;
  end_recorded_ = true;
  shard_.counters().requests_refused.add();
  record(outcome_, protocol::name_of(why), broken_ ? 0 : protocol::status_of(why), &s);
}

void exchange::drain() {
  draining_ = true;
  // A stream has told its client already that the connection stays.
  if (!streaming_) connection_.close_after_response();
}

// ----------------------------------------------------------------- user code

void exchange::call(user_code what) {
  if (phase_ != phase::stream && what != user_code::upload && what != user_code::content) {
    shard_.counters().requests.add();
    enter(phase::handler);
  }
  pending_ = what;
}

void exchange::run_user_code(workspace& s) noexcept {
  if (upgrade_) return run_upgraded(s);
  const flight_note noted(request_id_, s.head.method(), target_->pattern);
  const bulkhead::request r(s.head, s.content, s.parameters.all(), peer_, request_id_, cancelled_,
                            facts_);
  try {
    switch (pending_) {
      case user_code::handler:
        s.answer = target_->handle(r);
        return;
      case user_code::upload:
        s.receiver = target_->receive(r);
        return;
      case user_code::content:
        if (s.receiver.on_content) s.receiver.on_content(s.content);
        return;
      case user_code::content_end:
        s.answer = s.receiver.on_end();
        return;
      case user_code::source:
        s.piece.clear();
        s.source_has_more = s.answer->source()(s.piece);
        return;
      case user_code::file:
        return read_file_piece(s);
      case user_code::guest_on_thread:
        return s.call->call();
      case user_code::upgraded:
      case user_code::upgraded_drain:
      case user_code::guest:
      case user_code::none:
        return;
    }
  } catch (...) {
    s.thrown = std::current_exception();
  }
  if (pending_ == user_code::source || pending_ == user_code::file || !shard_.shared().on_exception)
    return;
  try {
    s.answer = shard_.shared().on_exception(r, s.thrown);
  } catch (...) {
    // The hook gave nothing: the plain 500 is sent.
  }
}

void exchange::finish_user_code(workspace& s) {
  const auto called = std::exchange(pending_, user_code::none);
  if (upgrade_) return finish_upgraded(called, s);
  if (called == user_code::source) return deliver_piece(s);
  if (called == user_code::file) return deliver_file_piece(s);
  if (s.thrown) return answer_exception(s);
  if (called == user_code::guest_on_thread) return finish_guest(s);
  if (called == user_code::handler || called == user_code::content_end) return deliver_answer(s);
  s.content = {};
}

void exchange::replace_user_code(workspace& s) {
  cancelled_.store(true, std::memory_order_relaxed);
  if (pending_ == user_code::guest_on_thread) return replace_guest(s);
  outcome_ = reason::handler_timeout;
  broken_ = has_open_answer() || upgrade_;
  closing_ = true;
  end_recorded_ = true;
  if (!broken_) {
    auto answer = protocol::response::text("the handler took too long\n", 503);
    answer.close();
    respond(answer, s);
  }
  record(outcome_, {}, status_, &s);
}

void exchange::answer_exception(workspace& s) {
  const auto what = describe(std::exchange(s.thrown, nullptr));
  if (!s.answer)
    s.answer = protocol::response::text(
        fmt::format("internal server error; request id {:016x}\n", request_id_), 500);
  s.answer->close();
  respond(*s.answer, s);
  fail(reason::exception, what, s);
}

void exchange::deliver_answer(workspace& s) {
  if (s.answer->source()) {
    begin_stream(*s.answer, s);
    if (streaming_ || closing_) return;
  } else {
    respond(*s.answer, s);
    if (outcome_ == reason::bad_response || sending_file_) return;
  }
  if (connection_.switched()) begin_upgrade(*s.answer, s);
  finish_request(s, reason::served);
}

void exchange::respond(protocol::response& answer, workspace& s) {
  const bool copied =
      !answer.file() && answer.content().size() <= output_queue::copied_content_bytes_max;
  auto& bytes = s.out.bytes();
  const auto fault = copied ? connection_.respond(s.head, answer, shard_.date(), bytes)
                            : connection_.respond_head(s.head, answer, shard_.date(), bytes);
  if (fault) return refuse_answer(*fault, s);
  status_ = answer.status();
  const bool follows = protocol::content_follows(s.head.known_method(), status_);
  if (!copied && follows) s.out.set_content(answer.take_content());
  if (answer.file() && follows) begin_file(answer, s);
  if (connection_.must_close()) closing_ = true;
}

void exchange::refuse_answer(protocol::write_error fault, workspace& s) {
  connection_.refuse(protocol::error::internal);
  connection_.write_refusal(shard_.date(), s.out.bytes());
  status_ = protocol::status_of(protocol::error::internal);
  fail(reason::bad_response, protocol::text_of(fault), s);
}

// A fault of the handler's: one log line, and the session ends for it.
void exchange::fail(reason why, std::string_view detail, workspace& s) {
  log_fault(why, detail, s);
  shard_.counters().handler_exceptions.add();
  outcome_ = why;
  closing_ = true;
  end_recorded_ = true;
  if (!sending_file_) return finish_request(s, why, detail);
  record(why, detail, status_, &s);  // the request is over when the answer's file is sent
}

void exchange::log_fault(reason why, std::string_view detail, const workspace& s) {
  spdlog::error("request {:016x} from {}: {} {}: {}: {}; session closed", request_id_,
                to_string(peer_), s.head.method(), s.head.path(), name_of(why), detail);
}

// -------------------------------------------------------------------- records

void exchange::report_cut(reason why, const workspace* s, std::string_view detail) {
  if (end_recorded_) return;
  end_recorded_ = true;
  outcome_ = why;
  // An idle connection that ends, or one that never spoke, is nobody's concern.
  const bool in_order = why == reason::closed || phase_ == phase::idle;
  if (!in_order || (s && !s->out.empty())) record(why, detail, has_open_answer() ? status_ : 0, s);
}

void exchange::record(reason why, std::string_view detail, int status, const workspace* s) {
  access_record entry;
  entry.why = why;
  entry.detail = detail;
  entry.status = status;
  entry.bytes_received = content_bytes_;
  if (s && (in_request_ || status != 0)) entry.bytes_sent = s->out.queued_total() - queued_before_;
  if (in_request_) {
    entry.request_id = request_id_;
    entry.method = s->head.method();
    entry.target = s->head.target();
    in_request_ = false;
  }
  shard_.record(entry, peer_, begun_);
}

}  // namespace bulkhead::actors
