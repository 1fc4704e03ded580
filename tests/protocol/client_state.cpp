#include "protocol/client_state.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <utility>

using namespace bulkhead::protocol;
using ss = sending_state;
using rs = receiving_state;
using go = client_event;

namespace {

template <class State>
using steps = std::map<State, State>;

const steps<ss> any_sending{{ss::ready, ss::ready},
                            {ss::held, ss::held},
                            {ss::content, ss::content},
                            {ss::barred, ss::barred},
                            {ss::closed, ss::closed}};

const steps<ss> sending_ends{{ss::ready, ss::closed},
                             {ss::held, ss::closed},
                             {ss::content, ss::closed},
                             {ss::barred, ss::closed},
                             {ss::closed, ss::closed}};

// A response is outstanding, or being read.
const steps<rs> any_awaited{
    {rs::awaited, rs::awaited}, {rs::head, rs::head}, {rs::content, rs::content}};

const steps<rs> any_receiving{{rs::none, rs::none},
                              {rs::awaited, rs::awaited},
                              {rs::head, rs::head},
                              {rs::content, rs::content}};

const steps<rs> one_more{{rs::none, rs::awaited},
                         {rs::awaited, rs::awaited},
                         {rs::head, rs::head},
                         {rs::content, rs::content}};

// What each half may do, written down a second time and apart from the table: by event, the pairs
// of states from and to. What is not here is forbidden.
const std::map<go, std::pair<steps<ss>, steps<rs>>> model{
    {go::request_begun, {{{ss::ready, ss::content}}, one_more}},
    {go::request_held, {{{ss::ready, ss::held}}, one_more}},
    {go::content_released, {{{ss::held, ss::content}}, any_awaited}},
    {go::request_ended, {{{ss::content, ss::ready}}, any_receiving}},
    {go::switch_requested, {{{ss::content, ss::barred}}, any_awaited}},
    {go::request_abandoned, {{{ss::held, ss::closed}, {ss::content, ss::closed}}, any_receiving}},
    {go::last_request, {{{ss::ready, ss::closed}}, any_receiving}},
    {go::head_begun, {any_sending, {{rs::awaited, rs::head}, {rs::head, rs::head}}}},
    {go::interim_read, {any_sending, {{rs::head, rs::awaited}}}},
    {go::head_read, {any_sending, {{rs::head, rs::content}}}},
    {go::response_ended, {any_sending, {{rs::content, rs::none}}}},
    {go::response_awaited, {any_sending, {{rs::none, rs::awaited}}}},
    {go::all_answered,
     {{{ss::ready, ss::ready}, {ss::content, ss::content}, {ss::barred, ss::ready}},
      {{rs::none, rs::none}}}},
    {go::switch_protocol, {{{ss::barred, ss::closed}}, {{rs::head, rs::switched}}}},
    {go::close,
     {sending_ends,
      {{rs::none, rs::closed}, {rs::refused, rs::refused}, {rs::closed, rs::closed}}}},
    {go::refuse,
     {sending_ends,
      {{rs::none, rs::refused},
       {rs::awaited, rs::refused},
       {rs::head, rs::refused},
       {rs::content, rs::refused},
       {rs::refused, rs::refused}}}},
};

client_state after(std::initializer_list<go> events) {
  client_state state;
  for (const go event : events) {
    INFO("event " << static_cast<int>(event));
    CHECK(state.apply(event));
  }
  return state;
}

}  // namespace

TEST_CASE("client_state allows exactly the listed transitions of every pair of states",
          "[protocol][rfc9112-9]") {
  CHECK(model.size() == client_event_count);
  for (std::size_t event = 0; event < client_event_count; ++event) {
    for (std::size_t i = 0; i < sending_state_count * receiving_state_count; ++i) {
      const auto sending = static_cast<ss>(i / receiving_state_count);
      const auto receiving = static_cast<rs>(i % receiving_state_count);
      const auto& [sends, receives] = model.at(static_cast<go>(event));
      const bool allowed = sends.contains(sending) && receives.contains(receiving);
      const client_state before{sending, receiving};
      const client_state wanted =
          allowed ? client_state{sends.at(sending), receives.at(receiving)} : before;
      client_state state = before;
      INFO("event " << event << " sending " << i / receiving_state_count << " receiving "
                    << i % receiving_state_count);
      CHECK(state.may(static_cast<go>(event)) == allowed);
      CHECK(state.apply(static_cast<go>(event)) == allowed);
      CHECK(state == wanted);
    }
  }
}

TEST_CASE("client_state goes round for every exchange that keeps the connection",
          "[protocol][rfc9112-9.3]") {
  CHECK(after({go::request_begun, go::request_ended, go::head_begun, go::head_read,
               go::response_ended, go::all_answered}) == client_state{});
  CHECK(after({go::request_held, go::head_begun, go::interim_read, go::content_released,
               go::request_ended, go::head_begun, go::head_read, go::response_ended,
               go::all_answered}) == client_state{});
  CHECK(after({go::request_begun, go::switch_requested, go::head_begun, go::head_read,
               go::response_ended, go::all_answered}) == client_state{});
}

TEST_CASE("client_state has no way out of a refusal", "[protocol][rfc9112-9]") {
  client_state state = after({go::request_begun, go::head_begun, go::refuse});
  CHECK(state == client_state{ss::closed, rs::refused});
  for (std::size_t event = 0; event < client_event_count; ++event) {
    state.apply(static_cast<go>(event));
  }
  CHECK(state == client_state{ss::closed, rs::refused});
}
