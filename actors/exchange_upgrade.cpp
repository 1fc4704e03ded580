// exchange, once the connection speaks another protocol.
#include <spdlog/spdlog.h>

#include <utility>

#include "actors/describe.hpp"
#include "actors/exchange.hpp"
#include "actors/flight_recorder.hpp"

namespace bulkhead::actors {

void exchange::begin_upgrade(const protocol::response& answer, workspace& s) {
  upgrade_ = answer.upgrade();
  if (upgrade_) return;
  // Nobody speaks what was promised.
  log_fault(reason::bad_response, "status 101 without set_upgrade()", s);
  outcome_ = reason::bad_response;
  broken_ = true;
  closing_ = true;
}

std::optional<exchange::need> exchange::advance_upgraded(workspace& s) {
  // What it gave goes out before it is asked again: a peer that reads slowly slows it.
  if (!s.out.empty()) return need::output;
  if (draining_ && !upgrade_drained_ && upgrade_->drain) {
    upgrade_drained_ = true;
    call(user_code::upgraded_drain);
  } else if (!s.input.empty()) {
    call(user_code::upgraded);
  } else {
    return need::input;
  }
  return std::nullopt;
}

void exchange::run_upgraded(workspace& s) {
  const flight_note noted(request_id_, "upgraded", {});
  s.piece.clear();
  s.source_has_more = true;
  try {
    if (pending_ == user_code::upgraded_drain)
      upgrade_->drain(s.piece);
    else
      s.source_has_more = upgrade_->receive(s.input.unread(), s.piece);
  } catch (...) {
    s.thrown = std::current_exception();
  }
}

void exchange::finish_upgraded(user_code called, workspace& s) {
  if (s.thrown) {
    spdlog::error("upgraded connection from {}, request {:016x}: {}; session closed",
                  to_string(peer_), request_id_, describe(std::exchange(s.thrown, nullptr)));
    shard_.counters().handler_exceptions.add();
    outcome_ = reason::exception;
    broken_ = true;
    closing_ = true;
    return;
  }
  if (called == user_code::upgraded) s.input.consume(s.input.unread().size());
  s.out.bytes().append(s.piece);
  if (!s.source_has_more) closing_ = true;
  enter(phase::idle);
}

}  // namespace bulkhead::actors
