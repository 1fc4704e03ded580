// What each outcome of a guest is to its client, to the log and to the breaker.
//
//   response       the guest's own                     served
//   exception      500                                 exception
//   trap           500                                 trap
//   crashed        502                                 crashed
//   deadline       504                                 budget_exceeded
//   out_of_memory  503                                 out_of_memory
//   protocol       502                                 bad_response
//   overloaded     503, Retry-After                    handler_overloaded
//   gone           503, Retry-After                    handler_unavailable
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "actors/reason.hpp"
#include "protocol/response.hpp"
#include "sandbox/outcome.hpp"

namespace bulkhead::actors {

reason reason_of(sandbox::outcome_kind how);

// How it ended, on one line: what the sandbox said, or what ended the process.
std::string text_of(const sandbox::outcome& how);

// For everything but `response`: one line that names the request and blames nobody wrongly.
protocol::response answer_for(sandbox::outcome_kind how, std::uint64_t request_id,
                              std::chrono::milliseconds retry_after);

}  // namespace bulkhead::actors
