// What a status code says about its message, RFC 9110 section 15.
#pragma once

#include <cstdint>
#include <string_view>

namespace bulkhead::protocol {

// The registered phrase; empty for a code without one. Static storage.
std::string_view reason_phrase(std::uint16_t status);

// Whether a response with this status may have content; a response to HEAD never has.
constexpr bool allows_content(std::uint16_t status) {
  return status >= 200 && status != 204 && status != 205 && status != 304;
}

// Whether its head may say how long the content is. 205 has none and says so with a zero; 304 could
// repeat the length of a representation that is not at hand here (RFC 9110 section 8.6).
constexpr bool allows_content_length(std::uint16_t status) {
  return status >= 200 && status != 204 && status != 304;
}

}  // namespace bulkhead::protocol
