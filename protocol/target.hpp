// Request targets: the four forms of RFC 9112 section 3.2 and what they name.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/error.hpp"
#include "protocol/method.hpp"

namespace bulkhead::protocol {

enum class target_form : std::uint8_t { origin, absolute, authority, asterisk };

// The parts of a target, still percent-encoded: views into the target, empty where the form has no
// such part. The path of an absolute-form without one is empty here and means "/".
struct target_parts {
  target_form form = target_form::origin;
  bool has_query = false;
  std::string_view authority{};
  std::string_view path{};
  std::string_view query{};  // without its question mark
};

// Takes a target apart. Errors: bad_target, bad_percent_escape, bad_target_form (authority-form is
// for CONNECT and asterisk-form for OPTIONS, and CONNECT takes nothing else), bad_host.
error parse_target(std::string_view target, method known, target_parts& parts);

}  // namespace bulkhead::protocol
