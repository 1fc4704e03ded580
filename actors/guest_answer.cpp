#include "actors/guest_answer.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "actors/describe.hpp"

namespace bulkhead::actors {

namespace {

struct meaning {
  int status;
  reason why;
  std::string_view text;
};

meaning meaning_of(sandbox::outcome_kind how) {
  using enum sandbox::outcome_kind;
  switch (how) {
    case response:
      return {200, reason::served, ""};
    case exception:
      return {500, reason::exception, "the handler failed"};
    case trap:
      return {500, reason::trap, "the handler trapped"};
    case crashed:
      return {502, reason::crashed, "the handler crashed"};
    case deadline:
      return {504, reason::budget_exceeded, "the handler took too long"};
    case out_of_memory:
      return {503, reason::out_of_memory, "the handler ran out of memory"};
    case protocol:
      return {502, reason::bad_response, "the handler gave no valid response"};
    case overloaded:
      return {503, reason::handler_overloaded, "the handler is busy"};
    case gone:
      return {503, reason::handler_unavailable, "the handler is not available"};
  }
  return {500, reason::internal, "internal server error"};
}

}  // namespace

reason reason_of(sandbox::outcome_kind how) {
  return meaning_of(how).why;
}

std::string text_of(const sandbox::outcome& how) {
  if (!how.detail.empty()) return one_line(how.detail);
  if (how.kind == sandbox::outcome_kind::deadline)
    return how.budget == sandbox::budget_kind::cpu ? "of CPU time" : "of wall time";
  if (how.kind != sandbox::outcome_kind::crashed) return {};
  if (how.signal == 0) return fmt::format("exit code {}", how.exit_code);
  auto text = signal_name(how.signal);
  if (how.site.is_known()) text += " at " + how.site.program_counter;
  if (!how.site.symbol.empty()) text += " in " + how.site.symbol;
  return one_line(text);
}

protocol::response answer_for(sandbox::outcome_kind how, std::uint64_t request_id,
                              std::chrono::milliseconds retry_after) {
  const auto all = meaning_of(how);
  auto answer = protocol::response::text(
      fmt::format("{}; request id {:016x}\n", all.text, request_id), all.status);
  if (how == sandbox::outcome_kind::overloaded || how == sandbox::outcome_kind::gone) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(retry_after).count();
    answer.set("Retry-After", std::to_string(std::max<std::int64_t>(1, seconds)));
  }
  return answer;
}

}  // namespace bulkhead::actors
