#include "protocol/state.hpp"

#include "protocol/state_table.hpp"

namespace bulkhead::protocol {

namespace {

// One row a transition, one column a state. `_` forbids.
// clang-format off
constexpr auto request_table() {
  using enum request_state;
  constexpr step<request_state> _{};
  return state_table<request_state, request_state_count, transition_count>{{
    //                    idle     head     content  done     refused  closed
    /* head_begun      */ {{ head,    head,    _,       _,       _,       _ }},
    /* head_read       */ {{ _,       content, _,       _,       _,       _ }},
    /* request_ended   */ {{ _,       _,       done,    _,       _,       _ }},
    /* response_begun  */ {{ _,       _,       content, done,    _,       _ }},
    /* response_ended  */ {{ _,       _,       content, done,    _,       _ }},
    /* next_exchange   */ {{ _,       _,       _,       idle,    _,       _ }},
    /* close           */ {{ closed,  _,       closed,  closed,  refused, closed }},
    /* switch_protocol */ {{ _,       _,       _,       closed,  _,       _ }},
    /* refuse          */ {{ refused, refused, refused, refused, refused, refused }},
    /* refusal_written */ {{ _,       _,       _,       _,       refused, _ }},
  }};
}

constexpr auto response_table() {
  using enum response_state;
  constexpr step<response_state> _{};
  return state_table<response_state, response_state_count, transition_count>{{
    //                    none       owed       streaming  done       refusing   closed     switched
    /* head_begun      */ {{ none,      _,         _,         _,         _,         _,         _ }},
    /* head_read       */ {{ owed,      _,         _,         _,         _,         _,         _ }},
    /* request_ended   */ {{ _,         owed,      streaming, done,      _,         _,         _ }},
    /* response_begun  */ {{ _,         streaming, _,         _,         _,         _,         _ }},
    /* response_ended  */ {{ _,         done,      done,      _,         _,         _,         _ }},
    /* next_exchange   */ {{ _,         _,         _,         none,      _,         _,         _ }},
    /* close           */ {{ closed,    _,         closed,    closed,    closed,    closed,    _ }},
    /* switch_protocol */ {{ _,         switched,  _,         _,         _,         _,         _ }},
    /* refuse          */ {{ refusing,  refusing,  closed,    closed,    refusing,  closed,    _ }},
    /* refusal_written */ {{ _,         _,         _,         _,         closed,    _,         _ }},
  }};
}

// clang-format on

constexpr auto requests = request_table();
constexpr auto responses = response_table();

}  // namespace

bool exchange_state::may(transition event) const {
  return step_of(requests, request, event).allowed && step_of(responses, response, event).allowed;
}

bool exchange_state::apply(transition event) {
  return advance(request, step_of(requests, request, event), response,
                 step_of(responses, response, event));
}

}  // namespace bulkhead::protocol
