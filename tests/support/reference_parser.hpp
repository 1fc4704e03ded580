// A slow parser of whole request heads to hold the fast ones against: written from RFC 9110, RFC
// 9112 and limits.hpp, octet by octet and without anything of the parsers it judges.
#pragma once

#include <string_view>

#include "protocol/limits.hpp"
#include "tests/support/parsed_request.hpp"

namespace bulkhead::protocol::test {

parsed_request parse_by_reference(std::string_view input, const limits& bounds);

}  // namespace bulkhead::protocol::test
