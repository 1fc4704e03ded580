// Reads field lines up to and including the empty line behind them, RFC 9112 sections 2.2 and 5.
//
// The caller keeps the octets: every call brings the same input from its first octet, as far as it
// has come, and reading goes on where it stopped. Octets are judged strictly in their order, so any
// splitting gives the same verdict. What the fields mean is the caller's to judge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/error.hpp"

namespace bulkhead::protocol {

class field_section {
 public:
  // What one section may take. The section may not reach position `end` of the input unfinished.
  struct bounds {
    std::size_t end = 0;
    std::size_t name_bytes_max = 0;
    error too_large = error::head_too_large;
  };

  enum class verdict : std::uint8_t { need_more, line, end, refused };

  // For line: name and value, views into the input, the value without the blanks around it.
  struct found {
    verdict kind = verdict::need_more;
    error why = error::none;
    std::string_view name{};
    std::string_view value{};
  };

  // `begin` is where in the input the first line begins.
  explicit field_section(std::size_t begin = 0) : position_(static_cast<std::uint32_t>(begin)) {}

  // The next whole line, need_more, end, or refused. Not to be called after end or refused.
  found next(std::string_view input, const bounds& allowed);

  // How far the input has been read; behind the empty line after end.
  std::size_t position() const { return position_; }

  // Where the line that is not whole yet begins.
  std::size_t line_begin() const {
    return state_ == state::line_begin   ? position_
           : state_ == state::section_lf ? position_ - 1
                                         : name_begin_;
  }

 private:
  enum class state : std::uint8_t { line_begin, name, blanks, value, line_lf, section_lf };

  struct window;

  error step(const window& in);
  error begin_line(char c);
  error read_name(const window& in);
  error read_value(const window& in);
  bool expect_lf(const window& in);
  found line_of(const window& in) const;

  std::uint32_t position_;
  std::uint32_t name_begin_ = 0;
  std::uint32_t name_end_ = 0;
  std::uint32_t value_begin_ = 0;
  state state_ = state::line_begin;
};

}  // namespace bulkhead::protocol
