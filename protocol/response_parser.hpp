// Parses response heads as their octets arrive, RFC 9112 sections 2.2, 4 and 5.
//
// The caller keeps the octets: every call brings all unconsumed input from the head's first octet,
// and the parser goes on where it stopped, so that any splitting costs linear time and gives the
// same verdict. Nothing is allocated and nothing recurses. No empty line may come before a status
// line: RFC 9112 section 2.2 allows that for requests only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/event.hpp"
#include "protocol/field_section.hpp"
#include "protocol/limits.hpp"
#include "protocol/response_head.hpp"

namespace bulkhead::protocol {

class response_parser {
 public:
  // need_more; head, whose octets are the consumed ones; or refused, after which reset() is the
  // only way on. Until then `input` must begin with the same octets, at any address, and `head`
  // must be the same object.
  event next(std::string_view input, const limits& bounds, response_head& head);

  // Forgets everything: the next input is the beginning of a head.
  void reset() { *this = {}; }

 private:
  enum class state : std::uint8_t { version_and_status, reason, status_line_lf, fields };

  error read_status_line(std::string_view input, response_head& head);
  error read_version_and_status(char c, response_head& head) const;
  event read_fields(std::string_view input, const limits& bounds, response_head& head);

  std::uint32_t position_ = 0;  // how far the status line has been judged
  field_section fields_;
  state state_ = state::version_and_status;
};

}  // namespace bulkhead::protocol
