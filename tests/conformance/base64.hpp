// Base64 with padding, RFC 4648 section 4.
#pragma once

#include <string>
#include <string_view>

namespace bulkhead::conformance {

std::string encode_base64(std::string_view octets);

// Throws std::invalid_argument for what is no base64.
std::string decode_base64(std::string_view text);

}  // namespace bulkhead::conformance
