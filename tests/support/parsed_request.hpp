// What a parser says of a request head, in one shape for all parsers, to be compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/error.hpp"
#include "protocol/event.hpp"
#include "protocol/request_head.hpp"

namespace bulkhead::protocol::test {

// A verdict, and for event_kind::head all that the head says. Views into the input.
struct parsed_request {
  event_kind kind = event_kind::need_more;
  error why = error::none;
  std::size_t size_bytes = 0;
  std::string_view method;
  std::string_view target;
  target_form form = target_form::origin;
  std::string_view path;
  std::optional<std::string_view> query;
  std::string_view authority;
  int minor_version = 1;
  std::vector<std::pair<std::string_view, std::string_view>> fields;
  std::optional<std::uint64_t> content_length;
  bool chunked = false;
  bool keep_alive = false;
  bool expects_continue = false;
  std::string_view upgrade;
};

// What a parser under test found, in the same shape.
parsed_request parsed(const event& found, const request_head& head);

// Where the two differ; empty when they don't. Views are the same when they are of the same octets,
// not of equal ones.
std::string difference(const parsed_request& a, const parsed_request& b);

}  // namespace bulkhead::protocol::test
