// Turns requests into octets.
//
// RFC 9112 sections 3 and 6. Everything is appended to a string whose capacity the caller keeps, so
// that nothing is allocated in steady state. Free functions without state; client_connection knows
// which of them is due.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/framing.hpp"
#include "protocol/request.hpp"
#include "protocol/write_error.hpp"

namespace bulkhead::protocol {

// How the content comes: framing::length or framing::chunked.
struct request_content {
  framing chosen = framing::length;
  std::uint64_t length = 0;  // octets, for framing::length

  bool empty() const { return chosen == framing::length && length == 0; }
};

// Why this request can't be sent with this content; nothing when it can.
std::optional<write_error> find_fault(const request& asked, const request_content& content);

// Request line, fields and the empty line. The request must be without fault. Expect is left out
// when there is no content to hold back.
void write_head(const request& asked, const request_content& content, std::string& out);

}  // namespace bulkhead::protocol
