// Requests that a sandbox answers.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "actors/describe.hpp"
#include "actors/exchange.hpp"
#include "actors/guest_answer.hpp"
#include "actors/guest_call.hpp"
#include "actors/guest_message.hpp"

namespace bulkhead::actors {

namespace {

// A module is cut off by the watchdog at its deadline: what that says goes first.
constexpr std::chrono::milliseconds module_grace{1'000};

}  // namespace

bool exchange::exceeds_guest(std::uint64_t content_bytes) const {
  return target_->guest && content_bytes > target_->guest->settings().request_bytes;
}

void exchange::begin_guest(workspace& s) {
  const bulkhead::request r(s.head, s.content, s.parameters.all(), peer_, request_id_, cancelled_,
                            facts_);
  std::string blob;
  if (!write_guest_request(blob, r) || blob.size() > target_->guest->settings().request_bytes)
    return refuse(protocol::error::content_too_large, reason::too_large, s);
  shard_.counters().requests.add();
  enter(phase::handler);
  pending_ = user_code::guest;
  s.call = std::make_unique<guest_call>(*shard_.guests(), target_->guest, std::move(blob), owner_);
}

std::optional<exchange::need> exchange::advance_guest(workspace& s) {
  if (!s.call->advance(shard_.home().now())) return need::outcome;
  pending_ = s.call->wants_thread() ? user_code::guest_on_thread : user_code::none;
  if (pending_ == user_code::guest_on_thread) return need::user_code;
  finish_guest(s);
  return std::nullopt;
}

void exchange::finish_guest(workspace& s) {
  using enum sandbox::outcome_kind;
  auto& which = *target_->guest;
  auto how = s.call->take_outcome();
  auto answer =
      how.kind == response ? read_guest_answer(how) : guest_answer{protocol::response(502), {}};
  if (answer.fault.empty() && !answer.response.content().empty() &&
      !protocol::allows_content(answer.response.status()))
    answer.fault = "content with a status that has none";
  if (!answer.fault.empty()) {
    how.kind = protocol;
    how.detail = std::move(answer.fault);
  }
  const auto now = shard_.home().now();
  const bool judged = how.kind != overloaded && how.kind != gone;
  s.call->settle(!judged              ? circuit_breaker::ending::nothing
                 : is_fault(how.kind) ? circuit_breaker::ending::fault
                                      : circuit_breaker::ending::answer,
                 now);
  s.call.reset();
  which.note(how, request_id_);
  const auto why = reason_of(how.kind);
  const auto detail = text_of(how);
  if (how.kind != response) {
    answer.response = answer_for(how.kind, request_id_, which.breaker().open_for(now));
    log_guest(why, detail, s);
  }
  respond(answer.response, s);
  if (outcome_ == reason::bad_response) return;
  finish_request(s, why, detail);
}

// It goes on, on a thread that is not the reactor's: its call is left alone.
void exchange::replace_guest(workspace& s) {
  auto& which = *target_->guest;
  sandbox::outcome late;
  late.kind = sandbox::outcome_kind::deadline;
  late.budget = sandbox::budget_kind::wall;
  late.detail = "it has not returned yet";
  s.call->settle(circuit_breaker::ending::fault, shard_.home().now());
  which.note(late, request_id_);
  outcome_ = reason_of(late.kind);
  log_guest(outcome_, late.detail, s);
  auto answer = answer_for(late.kind, request_id_, {});
  answer.close();
  respond(answer, s);
  closing_ = true;
  end_recorded_ = true;
  record(outcome_, late.detail, status_, &s);
}

std::chrono::milliseconds exchange::handler_time(std::chrono::milliseconds most) const {
  if (!target_ || !target_->guest) return most;
  const auto& own = target_->guest->settings();
  if (own.run == "inline") return std::min(most, own.wall);
  return own.run == "wasm" ? most + module_grace : most;
}

bool exchange::wants_place(const workspace& s) const {
  return pending_ == user_code::guest && s.call->is_at_gate();
}

void exchange::cut_guest(workspace& s) {
  if (pending_ == user_code::guest) s.call->cut();
}

void exchange::log_guest(reason why, std::string_view detail, const workspace& s) {
  spdlog::error("request {:016x} from {}: {} {}: handler {}: {}: {}", request_id_, to_string(peer_),
                s.head.method(), s.head.path(), target_->pattern, name_of(why), detail);
}

}  // namespace bulkhead::actors
