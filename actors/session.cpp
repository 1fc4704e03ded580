#include "actors/session.hpp"

#include <algorithm>
#include <utility>

#include "actors/acceptor.hpp"
#include "actors/guest_call.hpp"

namespace bulkhead::actors {

session::session(caf::actor_config& cfg, reactor& where, shard& local, acceptor& parent,
                 session_slot slot, unique_fd socket, const peer_address& peer,
                 std::shared_ptr<tls::configurations> secured_by)
    : polled_actor(cfg, where),
      shard_(local),
      parent_(parent),
      slot_(std::move(slot)),
      peer_(peer),
      transport_(std::move(socket), std::move(secured_by)),
      exchange_(local, peer_, *this),
      timer_(*this),
      handshaking_(transport_.is_handshaking()) {
  insert_behind(local.sessions());
  phase_began_ = where.now();
  const auto& limits = local.settings().deadlines;
  deadline_ = phase_began_ + (handshaking_ ? limits.handshake : limits.first_byte);
  if (local.draining()) exchange_.drain();
}

// An actor that ends otherwise than through complete(), by an exception of its
// own, comes here with everything still in its hands.
void session::on_exit() {
  close(reason::internal);
  home().timers().cancel(timer_);
}

void session::on_work(work::bits bits) {
  if (closed_) {
    if (bits & work::acknowledged) credit_.acknowledge();
    return complete();
  }
  if (bits & (work::readable | work::hangup)) transport_.expect_input(bits & work::hangup);
  if (bits & work::drain) begin_to_drain();
  if (bits & work::returned) return_from_user_code();
  if (bits & work::timeout) exchange_.ask_source_again();
  if (bits & work::gone) close(lingering_ ? exchange_.outcome() : reason::peer_reset);
  if (bits & work::stop) close(shed_ ? reason::shed : reason::drain);
  if (!advance()) return;
  // What has arrived goes first: a request is not cut by the deadline that it met.
  if ((bits & work::timeout) && !closed_) set_deadline();  // of the phase that it leads to
  if ((bits & work::timeout) && !closed_ && is_due()) {
    on_deadline();
    if (!advance()) return;
  }
  closed_ ? complete() : settle();
}

bool session::advance() {
  // What is left from before goes first; from then on only when the exchange says
  // so: pipelined answers leave together.
  if (!flush()) return true;
  unsigned calls = 0;
  while (!closed_) {
    if (calls >= calls_per_turn || (calls > 0 && exchange_.is_streaming())) {
      post(work::writable);  // the rest in another turn: others wait, and so may a stop
      return true;
    }
    if (lingering_) {
      if (!receive()) break;
      continue;
    }
    switch (exchange_.advance(space())) {
      case exchange::need::output:
        if (!flush()) return true;
        break;
      case exchange::need::user_code:
        if (!call_user_code()) return false;
        ++calls;
        break;
      case exchange::need::outcome:
      case exchange::need::pause:
        return true;
      case exchange::need::turn:
        post(work::writable);
        return true;
      case exchange::need::input:
        if (!receive()) return true;
        break;
      case exchange::need::close:
        if (!flush() || !finish_closing()) return true;
    }
  }
  return true;
}

// ----------------------------------------------------------------- user code

bool session::call_user_code() {
  set_deadline();
  arm_timer();
  if (!space_->joined_content.empty()) charge();
  in_user_code_ = true;
  if (!home().run_user_code(this, [this] { exchange_.run_user_code(*space_); })) return false;
  return_from_user_code();
  return true;
}

void session::return_from_user_code() {
  if (!in_user_code_) return;
  in_user_code_ = false;
  if (abandoned_)
    close(exchange_.outcome());
  else
    exchange_.finish_user_code(*space_);
}

// A first request's session is not watched yet: now events are wanted meanwhile.
// And the answers to requests before this one need not wait for it.
void session::on_handover() {
  if (!is_watched()) watch(transport_.fd());
  transport_.send(space_->out);
}

// User code runs on a thread that has lost the reactor, and something happens to
// the connection. That thread touches nothing of this session but the answer.
void session::on_busy(work::bits bits) {
  if (!in_user_code_) return;
  if (bits & (work::gone | work::stop)) exchange_.cancelled() = true;
  if (!(bits & work::timeout)) return;
  if (!is_due()) return arm_timer();
  if (abandoned_) return transport_.close();
  abandoned_ = true;
  exchange_.replace_user_code(*space_);
  if (exchange_.is_broken() || transport_.send(space_->out) != transport::result::done)
    return transport_.abort();
  transport_.end_sending();
  deadline_ = home().now() + shard_.settings().deadlines.linger;
  arm_timer();
}

// ------------------------------------------------------------------ the bytes

bool session::flush() {
  const bool has_output = space_ && !space_->out.empty();
  const auto unsent = [&] { return (space_ ? space_->out.size() : 0) + transport_.unsent_bytes(); };
  const auto before = unsent();
  if (before == 0) return true;
  const auto sent = has_output ? transport_.send(space_->out) : transport_.send_unsent();
  if (sent == transport::result::failed) {
    close(reason::peer_reset);
    return false;
  }
  if (sent == transport::result::unreadable) exchange_.cut_file(*space_);
  if (sent == transport::result::unsupported) exchange_.read_this_file(*space_);
  const bool now_blocked = sent == transport::result::blocked;
  if (handshaking_) return !now_blocked;  // its deadline is absolute
  // The stall lasts from when the peer takes no more until it takes some again.
  if (now_blocked && (!blocked_ || unsent() < before)) {
    phase_began_ = home().now();
    deadline_ = phase_began_ + shard_.settings().deadlines.write_stall;
  }
  if (blocked_ && !now_blocked) --seen_generation_;  // the phase's own deadline again
  blocked_ = now_blocked;
  return !blocked_;
}

bool session::receive() {
  if (!transport_.may_receive()) return false;
  auto& input = space().input;
  if (lingering_) input.clear();
  exchange_.detach_content(*space_);
  if (input.make_room()) exchange_.rebase(*space_);
  const auto got = transport_.receive(input.room());
  if (handshaking_ && !transport_.is_handshaking()) begin_to_serve();
  switch (got.outcome) {
    case transport::result::done:
      if (!lingering_) input.commit(got.bytes);
      return true;
    case transport::result::blocked:
      return false;
    case transport::result::failed:
      if (auto* secure = transport_.secure(); secure && secure->engine().why())
        exchange_.report_cut(reason::tls_error, space_.get(),
                             tls::text_of(secure->engine().why().what));
      [[fallthrough]];
    case transport::result::unreadable:  // these two come from sending alone
    case transport::result::unsupported:
      close(reason::peer_reset);
      return false;
    case transport::result::plain_http:
    case transport::result::bad_tls:
      refuse_handshake();
      return true;
    case transport::result::ended:
      break;
  }
  peer_ended_ = true;
  if (handshaking_) close(reason::peer_left);
  exchange_.end_of_stream();
  if (lingering_) close(exchange_.outcome());
  return !closed_;
}

// The handshake is done.
void session::begin_to_serve() {
  handshaking_ = false;
  exchange_.begin_secure(*transport_.secure());
  --seen_generation_;  // the phase's own deadline from now on
}

// An answer to who speaks HTTP; the alert is on its way to who tried TLS.
void session::refuse_handshake() {
  handshaking_ = false;
  const auto& engine = transport_.secure()->engine();
  if (engine.why()) {
    exchange_.report_cut(reason::handshake_failed, space_.get(), tls::text_of(engine.why().what));
    transport_.drop_security();
    transport_.end_sending();
    lingering_ = true;
    deadline_ = home().now() + shard_.settings().deadlines.linger;
  } else {
    transport_.drop_security();
    exchange_.refuse(protocol::error::plain_http, reason::plain_http, space());
  }
}

// Everything is written and nothing more will be. A peer that may still be
// sending is read from until it has seen our answer: closing with unread bytes
// would reset the connection and could destroy the answer on its way.
bool session::finish_closing() {
  if (exchange_.is_broken()) {
    transport_.abort();
    close(exchange_.outcome());
    return false;
  }
  const bool peer_is_quiet = exchange_.has_whole_request() && !transport_.may_receive() &&
                             (!space_ || space_->input.empty());
  if (peer_ended_ || peer_is_quiet) {
    close(exchange_.outcome());
    return false;
  }
  transport_.end_sending();
  lingering_ = true;
  deadline_ = home().now() + shard_.settings().deadlines.linger;
  return true;
}

// Nothing can be done before the next event: wait for it, with little memory.
void session::settle() {
  if (space_ && !in_user_code_ && !lingering_ && exchange_.is_idle() && space_->input.empty() &&
      space_->out.empty())
    shard_.spares().give_back(std::move(space_));
  if (!space_ && transport_.secure()) transport_.secure()->shrink();
  if (!is_watched() && !watch(transport_.fd())) {
    close(reason::internal);
    return complete();
  }
  charge();
  set_deadline();
  arm_timer();
}

void session::charge() {
  set_charged((space_ ? space_->held_bytes() : 0) +
              (transport_.secure() ? transport_.secure()->held_bytes() : 0));
}

void session::set_charged(std::size_t now) {
  const auto before = std::exchange(charged_bytes_, now);
  // Wraps around for a decrease, as unsigned arithmetic may.
  if (shed_) shard_.shared().leaving_bytes.fetch_add(now - before, std::memory_order_relaxed);
  shard_.charge(before, now);
}

void session::shed() {
  shed_ = true;
  shard_.shared().leaving_bytes.fetch_add(charged_bytes_, std::memory_order_relaxed);
  post(work::stop);
}

// ------------------------------------------------------------------- the end

// Gives back everything at once, also after a fault in the middle.
void session::close(reason why) {
  if (closed_) return;
  closed_ = true;
  // Cut in the middle of an answer: a reset, so that nobody takes half for whole.
  if (exchange_.has_open_answer() || (space_ && !space_->out.empty())) transport_.abort();
  exchange_.report_cut(why, space_.get());
  transport_.close();
  // A configuration goes to the next session only behind one without any fault.
  if (exchange_.outcome() == reason::closed || exchange_.outcome() == reason::idle_timeout ||
      exchange_.outcome() == reason::drain)
    transport_.retire();
  unlink();
  slot_.give_back();
  set_charged(0);
  if (space_) shard_.spares().give_back(std::move(space_));
}

void session::complete() {
  switch (credit_.now()) {
    case completion_credit::state::unused:
    case completion_credit::state::waiting:
      if (credit_.attempt(shard_.completions()))
        parent_.take_completion(*this);
      else
        home().timers().arm(timer_, home().now() + completion_retry);
      return;
    case completion_credit::state::sent:
      return;
    case completion_credit::state::acknowledged:
      return end(caf::exit_reason::normal);
  }
}

workspace& session::space() {
  if (!space_) space_ = shard_.spares().take();
  return *space_;
}

}  // namespace bulkhead::actors
