// The first stage of parsing a head: where its names and lines end, 64 octets at a time.
//
// RFC 9112 sections 2.1, 2.2 and 5. A scan reports two kinds of positions, in their order: the
// first octet behind the token at the beginning of a line, and the line feed of that line. For a
// head in order they take turns. The last position is the carriage return of the empty line.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/scan/instruction_set.hpp"

namespace bulkhead::protocol {

// Octets that one call looks at, at most.
inline constexpr std::size_t scan_bytes_max = 4096;

// Room for the positions of one call, with what is written in vain behind the last one.
inline constexpr std::size_t scan_positions_max = scan_bytes_max + 64;

// How far a head has been scanned. Octets of a block that was not whole are looked at again, so any
// splitting costs linear time.
struct scan_state {
  std::uint16_t block = 0;     // where the first block that was not whole begins
  std::uint16_t reported = 0;  // positions below this one have been reported
  bool behind_lf = true;       // the octet before the block is a line feed, or there is none
  bool behind_cr = false;
  bool in_name = false;  // the block begins inside the token at the beginning of a line
};

enum class scan_end : std::uint8_t {
  of_input,  // all of it was looked at
  of_call,   // there is more
  of_head,   // the last position reported is the carriage return of the empty line
  fault,     // a control octet, or a line end that is not CRLF: nothing reported counts
};

struct scan_result {
  std::uint32_t count;  // of positions
  scan_end end;
};

// The instructions to scan with; functions that never read outside their input.
struct scanner {
  instruction_set set;

  // Goes on where `state` says. `data` is the head's first octet, `size` at most 65536, and
  // `positions` has room for scan_positions_max.
  scan_result (*scan)(const char* data, std::size_t size, scan_state& state,
                      std::uint16_t* positions);

  // The first octet of [from, end) that may not stand in a path, or is a percent sign; the same
  // for a query.
  const char* (*skip_path)(const char* from, const char* end);
  const char* (*skip_query)(const char* from, const char* end);
};

namespace detail {

extern const scanner* chosen_scanner;  // never null

}  // namespace detail

inline const scanner& chosen_scanner() {
  return *detail::chosen_scanner;
}

}  // namespace bulkhead::protocol
