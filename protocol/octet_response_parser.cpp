#include "protocol/octet_response_parser.hpp"

#include <algorithm>

#include "protocol/field_rules.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

// What stands before the reason phrase; a digit stands for any.
constexpr std::string_view shape = "HTTP/1.1 200 ";
constexpr std::size_t major_at = 5;
constexpr std::size_t minor_at = 7;
constexpr std::size_t status_at = 9;

}  // namespace

event octet_response_parser::next(std::string_view input, const limits& bounds,
                                  response_head& head) {
  if (position_ == 0) {
    head.clear();
  }
  head.base_ = input.data();
  if (state_ != state::fields) {
    const error why = read_status_line(input.substr(0, bounds.head_bytes_max), head);
    if (why != error::none) {
      return refused(why);
    }
    if (state_ != state::fields) {
      return position_ < bounds.head_bytes_max ? event{} : refused(error::head_too_large);
    }
    fields_ = field_section(position_);
  }
  return read_fields(input, bounds, head);
}

error octet_response_parser::read_status_line(std::string_view input, response_head& head) {
  while (position_ < input.size() && state_ != state::fields) {
    const char c = input[position_];
    switch (state_) {
      case state::version_and_status:
        if (const error why = read_version_and_status(c, head); why != error::none) {
          return why;
        }
        if (++position_ == shape.size()) {
          state_ = state::reason;
        }
        break;
      case state::reason: {
        const char* const end = input.data() + input.size();
        const char* const stop = skip_value(input.data() + position_, end);
        position_ = static_cast<std::uint32_t>(stop - input.data());
        if (stop == end) {
          return error::none;
        }
        if (*stop != '\r') {
          return error::bad_status_line;
        }
        head.reason_ = {shape.size(), static_cast<std::uint16_t>(position_)};
        ++position_;
        state_ = state::status_line_lf;
        break;
      }
      default:
        if (c != '\n') {
          return error::bad_status_line;
        }
        ++position_;
        state_ = state::fields;
    }
  }
  return error::none;
}

error octet_response_parser::read_version_and_status(char c, response_head& head) const {
  const char wanted = shape[position_];
  if (!is(class_digit, wanted)) {
    return c == wanted ? error::none : error::bad_status_line;
  }
  if (!is(class_digit, c)) {
    return error::bad_status_line;
  }
  if (position_ == major_at) {
    return c == '1' ? error::none : error::unsupported_version;
  }
  if (position_ == minor_at) {
    head.minor_version_ = c == '0' ? 0 : 1;
    return error::none;
  }
  head.status_ = static_cast<std::uint16_t>(head.status_ * 10 + (c - '0'));
  return position_ == status_at && c == '0' ? error::bad_status_line : error::none;
}

event octet_response_parser::read_fields(std::string_view input, const limits& bounds,
                                         response_head& head) {
  const field_section::bounds allowed{bounds.head_bytes_max, bounds.field_name_bytes_max,
                                      error::head_too_large};
  for (;;) {
    const auto found = fields_.next(input, allowed);
    switch (found.kind) {
      case field_section::verdict::need_more:
        return {};
      case field_section::verdict::refused:
        return refused(found.why);
      case field_section::verdict::end:
        field_rules::conclude(head);
        head.size_bytes_ = static_cast<std::uint32_t>(fields_.position());
        return {event_kind::head, fields_.position()};
      case field_section::verdict::line:
        if (head.is_full()) {
          return refused(error::too_many_fields);
        }
        head.add_field(head.slice_of(found.name), head.slice_of(found.value));
        if (const error why = field_rules::note(head, found.name, found.value);
            why != error::none) {
          return refused(why);
        }
    }
  }
}

}  // namespace bulkhead::protocol
