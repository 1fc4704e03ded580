// Checks a trailer section as its octets arrive, RFC 9110 section 6.5 and RFC 9112 section 7.1.2.
//
// Trailer fields are checked like those of a head and then dropped: they are never merged into the
// head. A field that frames, routes or authenticates a message is refused in a trailer section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/event.hpp"
#include "protocol/limits.hpp"

namespace bulkhead::protocol {

class trailer_section {
 public:
  // Takes what it can of the input behind the last chunk's line: need_more (all of it consumed),
  // end (consumed up to and including the empty line) or refused.
  event next(std::string_view input, const limits& bounds);

 private:
  enum class state : std::uint8_t { line_begin, name, value, line_lf, section_lf, complete };

  error step(char c, const limits& bounds);
  error begin_line(char c, const limits& bounds);
  error read_name(char c, const limits& bounds);
  error read_value(char c);
  error expect_lf(char c, state next);
  void match_name(char c);
  bool is_forbidden() const;

  std::uint32_t bytes_ = 0;
  std::uint32_t candidates_ = 0;  // bit i: the name so far is the beginning of forbidden name i
  std::uint16_t fields_ = 0;
  std::uint16_t name_bytes_ = 0;
  state state_ = state::line_begin;
};

}  // namespace bulkhead::protocol
