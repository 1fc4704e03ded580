// Every bound that the protocol puts on what a peer may send, in one place.
//
// A limit is the last value that is accepted: N passes, N + 1 is refused with the status named
// beside it. All sizes are octets on the wire. The limits are borrowed by every connection and must
// outlive them; they never change while a connection lives.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bulkhead::protocol {

// Positions inside a head are 16-bit offsets, so no head may be larger than this.
inline constexpr std::size_t head_bytes_cap = 65536;

// Far above any real content, so that adding and shifting lengths can't overflow.
inline constexpr std::uint64_t content_bytes_cap = 1ull << 59;

// Requests of a client that await their response at once. Servers answer one after the other, so
// more only wait; and each may have to be sent again when the connection ends.
inline constexpr std::size_t pipelined_requests_max = 16;

struct limits {
  // Request line without its CRLF. RFC 9112 section 3 recommends at least 8000. Refused: 414.
  std::size_t request_line_bytes_max = 8192;

  // Request or status line, field section and every CRLF of them. 64 KiB holds the largest cookies
  // in use; at most head_bytes_cap. Refused: 431.
  std::size_t head_bytes_max = head_bytes_cap;

  // Field lines in one head. Browsers send about 20, proxies add a few. Refused: 431.
  std::size_t fields_max = 100;

  // One field name. The longest registered name has 38. Refused: 431.
  std::size_t field_name_bytes_max = 256;

  // All chunk extensions of one message, so that tiny chunks can't carry kilobytes of nothing each
  // (RFC 9112 section 7.1.1). Refused: 413.
  std::size_t chunk_extension_bytes_max = 16384;

  // Trailer section of one message with its CRLFs. Refused: 431.
  std::size_t trailer_bytes_max = 16384;

  // Field lines in one trailer section. Refused: 431.
  std::size_t trailer_fields_max = 100;

  // Content of one message after decoding. An announced Content-Length or chunk size that exceeds
  // it is refused before its first octet. Refused: 413.
  std::uint64_t content_bytes_max = 16ull * 1024 * 1024;

  // Empty lines before a request line. RFC 9112 section 2.2 asks to ignore at least one; more of
  // them are a peer that is out of step. Refused: 400.
  std::size_t leading_empty_lines_max = 1;

  // Interim responses before one response. Servers send one or two; an endless row of them would
  // keep a client busy for ever. Refused: 502.
  std::size_t interim_responses_max = 16;
};

// The name of the first setting that can't work, or nullptr when all of them can.
constexpr const char* check(const limits& chosen) {
  if (chosen.head_bytes_max < 64 || chosen.head_bytes_max > head_bytes_cap) {
    return "head_bytes_max must lie between 64 and 65536";
  }
  if (chosen.request_line_bytes_max < 16 || chosen.request_line_bytes_max > chosen.head_bytes_max) {
    return "request_line_bytes_max must lie between 16 and head_bytes_max";
  }
  if (chosen.fields_max < 1 || chosen.fields_max > 16384) {
    return "fields_max must lie between 1 and 16384";
  }
  if (chosen.field_name_bytes_max < 17 || chosen.field_name_bytes_max > chosen.head_bytes_max) {
    return "field_name_bytes_max must lie between 17 (Transfer-Encoding) and head_bytes_max";
  }
  if (chosen.chunk_extension_bytes_max > UINT32_MAX / 2) {
    return "chunk_extension_bytes_max must be below 2 GiB";
  }
  if (chosen.trailer_bytes_max < 2 || chosen.trailer_bytes_max > UINT32_MAX / 2) {
    return "trailer_bytes_max must lie between 2 and 2 GiB";
  }
  if (chosen.trailer_fields_max > 16384) {
    return "trailer_fields_max must be at most 16384";
  }
  if (chosen.content_bytes_max > content_bytes_cap) {
    return "content_bytes_max must be at most 2^59";
  }
  if (chosen.leading_empty_lines_max > 100) {
    return "leading_empty_lines_max must be at most 100";
  }
  if (chosen.interim_responses_max > 255) {
    return "interim_responses_max must be at most 255";
  }
  return nullptr;
}

}  // namespace bulkhead::protocol
