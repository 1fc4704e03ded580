// Percent-encoding, RFC 3986 section 2.1: whether it is well-formed. Nothing is decoded here.
#pragma once

#include <string_view>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

// Whether every percent sign has two hexadecimal digits after it.
constexpr bool has_sound_escapes(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 3)) {
    if (text.size() - at < 3 || !is_all(class_hex_digit, text.substr(at + 1, 2))) {
      return false;
    }
  }
  return true;
}

}  // namespace bulkhead::protocol
