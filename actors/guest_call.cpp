#include "actors/guest_call.hpp"

#include <utility>

#include "actors/runtime/reactor.hpp"

namespace bulkhead::actors {

using pass = circuit_breaker::pass;

guest_call::guest_call(guest_host& host, std::shared_ptr<guest> which, std::string blob,
                       polled_actor& who)
    : host_(host), which_(std::move(which)), who_(who), blob_(std::move(blob)) {
  began_ = who.home().now();
  pass_ = which_->breaker().admit(began_);
  if (pass_ == pass::refused)
    end_without_start(sandbox::outcome_kind::overloaded, "its circuit is open");
}

guest_call::~guest_call() {
  if (ticket_ && !outcome_) host_.cancel(*ticket_);
  if (inside_) which_->leave();
  if (queued_) which_->leave_queue();
  settle(circuit_breaker::ending::nothing, who_.home().now());
}

bool guest_call::advance(time_point now) {
  if (outcome_ || inside_) return true;
  if (ticket_) return false;
  if (which_->runs_on_thread()) {
    enter(now);
  } else if (credit_.attempt(host_.gate_of(which_))) {
    ticket_ = 0;
    ticket_ = host_.start(which_, blob_, began_, *this);
    blob_ = {};
  }
  if (is_at_gate() && !queued_ && now >= began_ + which_->settings().queue_wait)
    end_without_start(sandbox::outcome_kind::overloaded, "no place in its queue");
  return outcome_ || inside_;
}

void guest_call::enter(time_point now) {
  if (!which_->on_thread())
    return end_without_start(sandbox::outcome_kind::gone, which_->failure());
  inside_ = which_->enter();
  if (inside_ && queued_) which_->leave_queue();
  queued_ = !inside_ && (queued_ || which_->queue_up());
  if (queued_ && now >= began_ + which_->settings().wall)
    end_without_start(sandbox::outcome_kind::overloaded, "no place was free in time");
}

void guest_call::cut() {
  if (outcome_) return;
  if (ticket_) host_.cancel(*ticket_);
  end_without_start(sandbox::outcome_kind::deadline, "the server's deadline for handlers");
  outcome_->budget = sandbox::budget_kind::wall;
}

void guest_call::settle(circuit_breaker::ending how, time_point now) {
  if (pass_ != pass::refused) which_->breaker().settle(pass_, how, now);
  pass_ = pass::refused;
}

void guest_call::on_outcome(sandbox::outcome&& how) {
  outcome_ = std::move(how);
  who_.post(work::writable);
}

void guest_call::end_without_start(sandbox::outcome_kind how, std::string detail) {
  outcome_.emplace();
  outcome_->kind = how;
  outcome_->detail = std::move(detail);
}

}  // namespace bulkhead::actors
