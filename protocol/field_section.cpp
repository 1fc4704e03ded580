#include "protocol/field_section.hpp"

#include <algorithm>

#include "protocol/line_end.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

struct field_section::window {
  const char* begin;  // of the input
  const char* end;    // of the input, or its bound when that is nearer
  const bounds& allowed;

  char at(std::uint32_t position) const { return begin[position]; }
  std::uint32_t position(const char* p) const { return static_cast<std::uint32_t>(p - begin); }
};

field_section::found field_section::next(std::string_view input, const bounds& allowed) {
  const std::size_t size = std::min(input.size(), allowed.end);
  const window in{input.data(), input.data() + size, allowed};
  while (position_ < size) {
    if (state_ == state::line_lf || state_ == state::section_lf) {
      if (!expect_lf(in)) {
        return {verdict::refused, error::bare_cr};
      }
      return state_ == state::line_begin ? line_of(in) : found{verdict::end};
    }
    if (const error why = step(in); why != error::none) {
      return {verdict::refused, why};
    }
  }
  return position_ < allowed.end ? found{} : found{verdict::refused, allowed.too_large};
}

error field_section::step(const window& in) {
  switch (state_) {
    case state::line_begin:
      return begin_line(in.at(position_));
    case state::name:
      return read_name(in);
    default:
      return read_value(in);
  }
}

error field_section::begin_line(char c) {
  if (c == '\r') {
    ++position_;
    state_ = state::section_lf;
    return error::none;
  }
  name_begin_ = position_;
  state_ = state::name;
  return is(class_token, c) ? error::none
         : is_blank(c)      ? error::line_folding
                            : line_end_or(c, error::none, error::bad_field_name);
}

error field_section::read_name(const window& in) {
  const char* const end = skip(class_token, in.begin + position_, in.end);
  position_ = in.position(end);
  if (position_ - name_begin_ > in.allowed.name_bytes_max) {
    return error::field_name_too_long;
  }
  if (end == in.end) {
    return error::none;
  }
  if (*end != ':') {
    return is_blank(*end) ? error::space_before_colon
                          : line_end_or(*end, error::missing_colon, error::bad_field_name);
  }
  name_end_ = position_++;
  state_ = state::blanks;
  return error::none;
}

error field_section::read_value(const window& in) {
  const char* from = in.begin + position_;
  if (state_ == state::blanks) {
    from = std::find_if_not(from, in.end, is_blank);
    value_begin_ = in.position(from);
    state_ = from == in.end ? state::blanks : state::value;
  }
  const char* const end = skip_value(from, in.end);
  position_ = in.position(end);
  if (end == in.end) {
    return error::none;
  }
  if (*end != '\r') {
    return line_end_or(*end, error::none, error::bad_field_value);
  }
  ++position_;
  state_ = state::line_lf;
  return error::none;
}

bool field_section::expect_lf(const window& in) {
  if (in.at(position_) != '\n') {
    return false;
  }
  ++position_;
  if (state_ == state::line_lf) {
    state_ = state::line_begin;
  }
  return true;
}

field_section::found field_section::line_of(const window& in) const {
  const std::string_view name{in.begin + name_begin_, name_end_ - name_begin_};
  const std::string_view value{in.begin + value_begin_, position_ - 2 - value_begin_};
  return {verdict::line, error::none, name, trim_blanks(value)};
}

}  // namespace bulkhead::protocol
