// What the head of a response depends on besides the response.
#pragma once

#include <string_view>

#include "protocol/framing.hpp"
#include "protocol/method.hpp"

namespace bulkhead::protocol {

struct head_context {
  method request_method = method::unknown;
  int minor_version = 1;  // of the request
  bool closes = false;    // the connection ends behind this response
  framing content_framing = framing::length;
  std::string_view date{};  // IMF-fixdate; left out when empty
};

}  // namespace bulkhead::protocol
