// Parses response heads octet by octet, RFC 9112 sections 2.2, 4 and 5.
//
// The slow half of response_parser, which says how to call it and when this one is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/event.hpp"
#include "protocol/field_section.hpp"
#include "protocol/limits.hpp"
#include "protocol/response_head.hpp"

namespace bulkhead::protocol {

class octet_response_parser {
 public:
  event next(std::string_view input, const limits& bounds, response_head& head);

  bool is_behind_status_line() const { return state_ == state::fields; }

  // Behind the status line: where the line that is not whole yet begins.
  std::size_t line_begin() const { return fields_.line_begin(); }

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
