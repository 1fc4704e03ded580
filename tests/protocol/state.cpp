#include "protocol/state.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <utility>

using namespace bulkhead::protocol;
using rq = request_state;
using rs = response_state;
using go = transition;

namespace {

// What each half may do, written down a second time and apart from the table: by event, the pairs
// of states from and to. What is not here is forbidden.
const std::map<go, std::map<rq, rq>> request_half{
    {go::head_begun, {{rq::idle, rq::head}, {rq::head, rq::head}}},
    {go::head_read, {{rq::head, rq::content}}},
    {go::request_ended, {{rq::content, rq::done}}},
    {go::response_begun, {{rq::content, rq::content}, {rq::done, rq::done}}},
    {go::response_ended, {{rq::content, rq::content}, {rq::done, rq::done}}},
    {go::next_exchange, {{rq::done, rq::idle}}},
    {go::close,
     {{rq::idle, rq::closed},
      {rq::content, rq::closed},
      {rq::done, rq::closed},
      {rq::refused, rq::refused},
      {rq::closed, rq::closed}}},
    {go::switch_protocol, {{rq::done, rq::closed}}},
    {go::refuse,
     {{rq::idle, rq::refused},
      {rq::head, rq::refused},
      {rq::content, rq::refused},
      {rq::done, rq::refused},
      {rq::refused, rq::refused},
      {rq::closed, rq::refused}}},
    {go::refusal_written, {{rq::refused, rq::refused}}},
};

const std::map<go, std::map<rs, rs>> response_half{
    {go::head_begun, {{rs::none, rs::none}}},
    {go::head_read, {{rs::none, rs::owed}}},
    {go::request_ended,
     {{rs::owed, rs::owed}, {rs::streaming, rs::streaming}, {rs::done, rs::done}}},
    {go::response_begun, {{rs::owed, rs::streaming}}},
    {go::response_ended, {{rs::owed, rs::done}, {rs::streaming, rs::done}}},
    {go::next_exchange, {{rs::done, rs::none}}},
    {go::close,
     {{rs::none, rs::closed},
      {rs::streaming, rs::closed},
      {rs::done, rs::closed},
      {rs::refusing, rs::closed},
      {rs::closed, rs::closed}}},
    {go::switch_protocol, {{rs::owed, rs::switched}}},
    {go::refuse,
     {{rs::none, rs::refusing},
      {rs::owed, rs::refusing},
      {rs::streaming, rs::closed},
      {rs::done, rs::closed},
      {rs::refusing, rs::refusing},
      {rs::closed, rs::closed}}},
    {go::refusal_written, {{rs::refusing, rs::closed}}},
};

exchange_state after(std::initializer_list<go> events) {
  exchange_state state;
  for (const go event : events) {
    INFO("event " << static_cast<int>(event));
    CHECK(state.apply(event));
  }
  return state;
}

}  // namespace

TEST_CASE("state allows exactly the listed transitions of every pair of states",
          "[protocol][rfc9112-9]") {
  for (std::size_t event = 0; event < transition_count; ++event) {
    for (std::size_t i = 0; i < request_state_count * response_state_count; ++i) {
      const auto request = static_cast<rq>(i / response_state_count);
      const auto response = static_cast<rs>(i % response_state_count);
      const auto& requests = request_half.at(static_cast<go>(event));
      const auto& responses = response_half.at(static_cast<go>(event));
      const bool allowed = requests.contains(request) && responses.contains(response);
      const exchange_state before{request, response};
      const exchange_state wanted =
          allowed ? exchange_state{requests.at(request), responses.at(response)} : before;
      exchange_state state = before;
      INFO("event " << event << " request " << i / response_state_count << " response "
                    << i % response_state_count);
      CHECK(state.may(static_cast<go>(event)) == allowed);
      CHECK(state.apply(static_cast<go>(event)) == allowed);
      CHECK(state == wanted);
    }
  }
}

TEST_CASE("state goes round for every exchange that keeps the connection",
          "[protocol][rfc9112-9.3]") {
  CHECK(after({go::head_begun, go::head_read, go::request_ended, go::response_ended,
               go::next_exchange}) == exchange_state{});
  CHECK(after({go::head_begun, go::head_read, go::response_begun, go::request_ended,
               go::response_ended, go::next_exchange}) == exchange_state{});
  CHECK(after({go::head_begun, go::head_read, go::response_ended, go::request_ended,
               go::next_exchange}) == exchange_state{});
}

TEST_CASE("state has no way out of a refusal but the end", "[protocol][rfc9112-9]") {
  exchange_state state = after({go::head_begun, go::refuse, go::refusal_written});
  CHECK(state == exchange_state{rq::refused, rs::closed});
  for (std::size_t event = 0; event < transition_count; ++event) {
    state.apply(static_cast<go>(event));
  }
  CHECK(state == exchange_state{rq::refused, rs::closed});
}
