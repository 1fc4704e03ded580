// What bulkhead_handle returned, as an outcome: for executors that see the value itself.
#pragma once

#include <cstdint>
#include <utility>

#include "sandbox/blob.hpp"
#include "sandbox/bulkhead_guest.h"
#include "sandbox/outcome.hpp"

namespace bulkhead::sandbox {

struct returned {
  outcome result;
  bool goes_on;  // whether who returned it is fit for another request

  static returned as(outcome_kind kind, const char* detail, bool goes_on) {
    returned one{{}, goes_on};
    one.result.kind = kind;
    one.result.detail = detail;
    return one;
  }
};

// `copy_of(bytes)` is a string of so many of the response's octets.
template <class Copy>
returned outcome_of(std::int32_t code, std::uint32_t response_bytes_max, const Copy& copy_of) {
  using enum outcome_kind;
  switch (code) {
    case BULKHEAD_FAILED:
      return returned::as(exception, "", true);
    case BULKHEAD_TOO_LARGE:
      return returned::as(protocol, "the response is larger than the handler may answer", true);
    case BULKHEAD_NO_MEMORY:
      return returned::as(out_of_memory, "", false);
    default:
      break;
  }
  if (code < 0) return returned::as(protocol, "no such answer", false);
  const auto bytes = static_cast<std::uint32_t>(code);
  if (bytes > response_bytes_max)
    return returned::as(protocol, "a length is beyond its bound", false);
  auto answer = returned::as(response, "", true);
  answer.result.blob = copy_of(bytes);
  blob_view checked;
  const auto error = blob_view::read(answer.result.blob, checked);
  return error == blob_error::none ? std::move(answer)
                                   : returned::as(protocol, to_string(error), false);
}

}  // namespace bulkhead::sandbox
