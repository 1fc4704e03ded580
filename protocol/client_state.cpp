#include "protocol/client_state.hpp"

#include "protocol/state_table.hpp"

namespace bulkhead::protocol {

namespace {

// One row an event, one column a state. `_` forbids.
// clang-format off
constexpr auto sending_table() {
  using enum sending_state;
  constexpr step<sending_state> _{};
  return state_table<sending_state, sending_state_count, client_event_count>{{
    //                      ready    held     content  barred  closed
    /* request_begun     */ {{ content, _,       _,       _,      _ }},
    /* request_held      */ {{ held,    _,       _,       _,      _ }},
    /* content_released  */ {{ _,       content, _,       _,      _ }},
    /* request_ended     */ {{ _,       _,       ready,   _,      _ }},
    /* switch_requested  */ {{ _,       _,       barred,  _,      _ }},
    /* request_abandoned */ {{ _,       closed,  closed,  _,      _ }},
    /* last_request      */ {{ closed,  _,       _,       _,      _ }},
    /* head_begun        */ {{ ready,   held,    content, barred, closed }},
    /* interim_read      */ {{ ready,   held,    content, barred, closed }},
    /* head_read         */ {{ ready,   held,    content, barred, closed }},
    /* response_ended    */ {{ ready,   held,    content, barred, closed }},
    /* response_awaited  */ {{ ready,   held,    content, barred, closed }},
    /* all_answered      */ {{ ready,   _,       content, ready,  _ }},
    /* switch_protocol   */ {{ _,       _,       _,       closed, _ }},
    /* close             */ {{ closed,  closed,  closed,  closed, closed }},
    /* refuse            */ {{ closed,  closed,  closed,  closed, closed }},
  }};
}

constexpr auto receiving_table() {
  using enum receiving_state;
  constexpr step<receiving_state> _{};
  return state_table<receiving_state, receiving_state_count, client_event_count>{{
    //                      none     awaited  head      content  refused  closed  switched
    /* request_begun     */ {{ awaited, awaited, head,     content, _,       _,      _ }},
    /* request_held      */ {{ awaited, awaited, head,     content, _,       _,      _ }},
    /* content_released  */ {{ _,       awaited, head,     content, _,       _,      _ }},
    /* request_ended     */ {{ none,    awaited, head,     content, _,       _,      _ }},
    /* switch_requested  */ {{ _,       awaited, head,     content, _,       _,      _ }},
    /* request_abandoned */ {{ none,    awaited, head,     content, _,       _,      _ }},
    /* last_request      */ {{ none,    awaited, head,     content, _,       _,      _ }},
    /* head_begun        */ {{ _,       head,    head,     _,       _,       _,      _ }},
    /* interim_read      */ {{ _,       _,       awaited,  _,       _,       _,      _ }},
    /* head_read         */ {{ _,       _,       content,  _,       _,       _,      _ }},
    /* response_ended    */ {{ _,       _,       _,        none,    _,       _,      _ }},
    /* response_awaited  */ {{ awaited, _,       _,        _,       _,       _,      _ }},
    /* all_answered      */ {{ none,    _,       _,        _,       _,       _,      _ }},
    /* switch_protocol   */ {{ _,       _,       switched, _,       _,       _,      _ }},
    /* close             */ {{ closed,  _,       _,        _,       refused, closed, _ }},
    /* refuse            */ {{ refused, refused, refused,  refused, refused, _,      _ }},
  }};
}
// clang-format on

constexpr auto sending_steps = sending_table();
constexpr auto receiving_steps = receiving_table();

}  // namespace

bool client_state::may(client_event event) const {
  return step_of(sending_steps, sending, event).allowed &&
         step_of(receiving_steps, receiving, event).allowed;
}

bool client_state::apply(client_event event) {
  return advance(sending, step_of(sending_steps, sending, event), receiving,
                 step_of(receiving_steps, receiving, event));
}

}  // namespace bulkhead::protocol
