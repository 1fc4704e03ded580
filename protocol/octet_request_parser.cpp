#include "protocol/octet_request_parser.hpp"

#include <algorithm>
#include <cstring>

#include "protocol/field_rules.hpp"
#include "protocol/line_end.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::string_view version_prefix = "HTTP/";
constexpr std::size_t version_bytes = 8;  // "HTTP/1.1"

// Whether the octet may stand at this place of an HTTP-version (RFC 9112 section 2.3).
constexpr bool fits_version(char c, std::size_t index) {
  if (index < version_prefix.size()) {
    return c == version_prefix[index];
  }
  return index == version_prefix.size() + 1 ? c == '.' : is(class_digit, c);
}

// Positions that something follows inside the head are below head_bytes_cap.
constexpr std::uint16_t as_offset(std::uint32_t position) {
  return static_cast<std::uint16_t>(position);
}

}  // namespace

struct octet_request_parser::window {
  std::string_view input;
  const limits& bounds;
  request_head& head;
  std::size_t limit = 0;      // position that the line or the head may not reach unfinished
  const char* end = nullptr;  // of the input, or the limit when that is nearer

  const char* at(std::size_t position) const { return input.data() + position; }
  std::uint32_t position(const char* p) const {
    return static_cast<std::uint32_t>(p - input.data());
  }
};

event octet_request_parser::next(std::string_view input, const limits& bounds, request_head& head) {
  if (position_ == 0) {
    head.clear();
  }
  head.base_ = input.data();
  window in{input, bounds, head};
  set_limit(in);
  while (in.at(position_) < in.end) {
    if (const error why = step(in); why != error::none) {
      return refused(why);
    }
    if (state_ == state::complete) {
      head.size_bytes_ = position_;
      return {event_kind::head, position_};
    }
  }
  return position_ < in.limit ? event{} : refused(over_limit());
}

// The request line has a limit of its own, its CRLF not counted, and the head another.
void octet_request_parser::set_limit(window& in) const {
  in.limit = in.bounds.head_bytes_max;
  if (in_request_line()) {
    const std::size_t line_begin = 2u * empty_lines_;
    in.limit = std::min(in.limit, line_begin + in.bounds.request_line_bytes_max + 2);
  }
  in.end = in.at(std::min(in.input.size(), in.limit));
}

error octet_request_parser::over_limit() const {
  return in_request_line() ? error::request_line_too_long : error::head_too_large;
}

std::size_t octet_request_parser::line_begin() const {
  return state_ == state::field_begin ? position_
         : state_ == state::head_lf   ? position_ - 1
                                      : mark_;
}

error octet_request_parser::step(window& in) {
  switch (state_) {
    case state::line_begin:
      return begin_line(in);
    case state::empty_line_lf:
      return expect_lf(in, state::line_begin);
    case state::method:
      return read_method(in);
    case state::target:
      return read_target(in);
    case state::version:
      return read_version(in);
    case state::request_line_lf:
      return expect_lf(in, state::field_begin);
    case state::field_begin:
      return begin_field(in);
    case state::field_name:
      return read_field_name(in);
    case state::field_blanks:
    case state::field_value:
      return read_field_value(in);
    case state::field_lf:
      return add_field(in);
    case state::head_lf: {
      const error why = expect_lf(in, state::complete);
      return why == error::none ? field_rules::conclude(in.head, in.bounds) : why;
    }
    case state::complete:
      break;
  }
  return error::none;
}

error octet_request_parser::begin_line(window& in) {
  const char c = *in.at(position_);
  if (c == '\r') {
    if (empty_lines_ == in.bounds.leading_empty_lines_max) {
      return error::too_many_empty_lines;
    }
    ++empty_lines_;
    ++position_;
    state_ = state::empty_line_lf;
    return error::none;
  }
  mark_ = as_offset(position_);
  state_ = state::method;
  return is(class_token, c) ? error::none : line_end_or(c, error::bare_cr, error::bad_method);
}

error octet_request_parser::expect_lf(window& in, state next) {
  if (*in.at(position_) != '\n') {
    return error::bare_cr;
  }
  ++position_;
  state_ = next;
  set_limit(in);
  return error::none;
}

// Passes over octets of one class. Whether they ended before the input or its limit did.
bool octet_request_parser::pass_over(window& in, character_class wanted) {
  const char* const end = skip(wanted, in.at(position_), in.end);
  position_ = in.position(end);
  return end != in.end;
}

error octet_request_parser::read_method(window& in) {
  if (!pass_over(in, class_token)) {
    return error::none;
  }
  if (const char c = *in.at(position_); c != ' ') {
    return line_end_or(c, error::bad_request_line, error::bad_method);
  }
  in.head.method_ = {mark_, as_offset(position_)};
  in.head.known_method_ = method_of(in.head.method());
  mark_ = as_offset(++position_);
  state_ = state::target;
  return error::none;
}

error octet_request_parser::read_target(window& in) {
  if (!pass_over(in, class_target)) {
    return error::none;
  }
  if (const char c = *in.at(position_); c != ' ') {
    return line_end_or(c, error::bad_request_line, error::bad_target);
  }
  in.head.target_ = {mark_, as_offset(position_)};
  target_parts parts;
  const error why = parse_target(in.head.target(), in.head.known_method(), parts);
  in.head.set_target(parts);
  mark_ = as_offset(++position_);
  state_ = state::version;
  return why;
}

error octet_request_parser::read_version(window& in) {
  if (position_ == mark_ && in.end - in.at(position_) > 8 &&
      std::memcmp(in.at(position_), "HTTP/1.1", version_bytes) == 0) {
    position_ += version_bytes;  // the usual case at once; the octets below are judged one by one
  }
  const char c = *in.at(position_);
  const std::size_t index = position_ - mark_;
  if (index < version_bytes) {
    ++position_;
    return fits_version(c, index) ? error::none
                                  : line_end_or(c, error::bad_version, error::bad_version);
  }
  if (c != '\r') {
    return line_end_or(c, error::none, error::bad_version);
  }
  ++position_;
  state_ = state::request_line_lf;
  in.head.minor_version_ = *in.at(mark_ + 7u) == '0' ? 0 : 1;
  return *in.at(mark_ + 5u) == '1' ? error::none : error::unsupported_version;
}

error octet_request_parser::begin_field(window& in) {
  const char c = *in.at(position_);
  if (c == '\r') {
    ++position_;
    state_ = state::head_lf;
    return error::none;
  }
  if (!is(class_token, c)) {
    return is_blank(c) ? error::line_folding
                       : line_end_or(c, error::bare_cr, error::bad_field_name);
  }
  mark_ = as_offset(position_);
  state_ = state::field_name;
  return in.head.is_full() ? error::too_many_fields : error::none;
}

error octet_request_parser::read_field_name(window& in) {
  const bool ended = pass_over(in, class_token);
  if (position_ - mark_ > in.bounds.field_name_bytes_max) {
    return error::field_name_too_long;
  }
  if (!ended) {
    return error::none;
  }
  if (const char c = *in.at(position_); c != ':') {
    return is_blank(c) ? error::space_before_colon
                       : line_end_or(c, error::missing_colon, error::bad_field_name);
  }
  name_end_ = as_offset(position_);
  ++position_;
  state_ = state::field_blanks;
  return error::none;
}

error octet_request_parser::read_field_value(window& in) {
  const char* from = in.at(position_);
  if (state_ == state::field_blanks) {
    while (from != in.end && is_blank(*from)) {
      ++from;
    }
    value_begin_ = as_offset(in.position(from));
    state_ = from == in.end ? state::field_blanks : state::field_value;
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
  state_ = state::field_lf;
  return error::none;
}

error octet_request_parser::add_field(window& in) {
  const error why = expect_lf(in, state::field_begin);
  if (why != error::none) {
    return why;
  }
  std::uint16_t value_end = as_offset(position_ - 2);
  while (value_end > value_begin_ && is_blank(*in.at(value_end - 1u))) {
    --value_end;
  }
  in.head.add_field({mark_, name_end_}, {value_begin_, value_end});
  const std::string_view name{in.at(mark_), static_cast<std::size_t>(name_end_ - mark_)};
  const std::string_view value{in.at(value_begin_),
                               static_cast<std::size_t>(value_end - value_begin_)};
  return field_rules::note(in.head, name, value);
}

}  // namespace bulkhead::protocol
