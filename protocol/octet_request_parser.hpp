// Parses request heads octet by octet, RFC 9112 sections 2.2, 3 and 5.
//
// The slow half of request_parser, which says how to call it: for processors without the
// instructions that the fast half needs, for request lines that come in pieces, and for every head
// that may have a fault. Octets are judged strictly in their order; the first bad one or the first
// one past a limit ends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/event.hpp"
#include "protocol/limits.hpp"
#include "protocol/request_head.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

class octet_request_parser {
 public:
  // An empty line before the request line belongs to the head.
  event next(std::string_view input, const limits& bounds, request_head& head);

  bool is_behind_request_line() const { return state_ >= state::field_begin; }

  // Behind the request line: where the line that is not whole yet begins.
  std::size_t line_begin() const;

 private:
  enum class state : std::uint8_t {
    line_begin,
    empty_line_lf,
    method,
    target,
    version,
    request_line_lf,
    field_begin,
    field_name,
    field_blanks,
    field_value,
    field_lf,
    head_lf,
    complete,
  };

  // One call's input with the end that a limit may have brought nearer.
  struct window;

  error step(window& in);
  error begin_line(window& in);
  error begin_field(window& in);
  error read_method(window& in);
  error read_target(window& in);
  error read_version(window& in);
  error read_field_name(window& in);
  error read_field_value(window& in);
  bool pass_over(window& in, character_class wanted);
  error expect_lf(window& in, state next);
  error add_field(window& in);
  error over_limit() const;
  void set_limit(window& in) const;
  bool in_request_line() const { return state_ <= state::request_line_lf; }

  std::uint32_t position_ = 0;     // how far the input has been judged
  std::uint16_t mark_ = 0;         // where the method, target, version or field name began
  std::uint16_t name_end_ = 0;     // where the field name ended
  std::uint16_t value_begin_ = 0;  // where the field value began
  std::uint8_t empty_lines_ = 0;
  state state_ = state::line_begin;
};

}  // namespace bulkhead::protocol
