// How the end of a message's content is told, RFC 9112 section 6.3.
#pragma once

#include <cstdint>

namespace bulkhead::protocol {

enum class framing : std::uint8_t {
  length,       // Content-Length, or there is no content
  chunked,      // Transfer-Encoding: chunked, HTTP/1.1 only
  until_close,  // neither, responses only: the end of the connection ends the content
};

}  // namespace bulkhead::protocol
