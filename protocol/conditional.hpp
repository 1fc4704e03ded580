// Conditional requests, RFC 9110 section 13: what a request's conditions make of a representation.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>

#include "protocol/entity_tag.hpp"
#include "protocol/method.hpp"
#include "protocol/request_head.hpp"

namespace bulkhead::protocol {

// Of the representation as it is now. The date is what Last-Modified says, in seconds since
// 1970-01-01 UTC.
struct validators {
  entity_tag tag;
  std::time_t last_modified = 0;
};

enum class precondition : std::uint8_t {
  proceed,
  not_modified,  // 304
  failed,        // 412
};

// If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since, in the order of section
// 13.2.2. Lists may come in several field lines; a date that is none, or that comes twice, is no
// condition. `now`, in seconds, is for dates whose year has two digits.
precondition evaluate(const request_head::field_range& fields, method request_method,
                      const validators& current, std::time_t now);

// The value of the Range field if it is to be heeded: the method is GET, it stands once, and an
// If-Range, if there is one, matches strongly (section 13.1.5). A date does so when it lies a
// second or more back, so that what it dates can't have changed since within the same second
// (section 8.8.2.2). To be asked when evaluate() said `proceed`.
std::optional<std::string_view> range_to_heed(const request_head::field_range& fields,
                                              method request_method, const validators& current,
                                              std::time_t now);

}  // namespace bulkhead::protocol
