#include "protocol/trailer_section.hpp"

#include <array>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

// Framing, routing, controls, authentication and content format: RFC 9110 section 6.5.1.
constexpr std::array<std::string_view, 18> forbidden_names{
    "transfer-encoding",
    "content-length",
    "host",
    "connection",
    "upgrade",
    "trailer",
    "te",
    "expect",
    "keep-alive",
    "content-type",
    "content-range",
    "content-encoding",
    "authorization",
    "cookie",
    "max-forwards",
    "range",
    "cache-control",
    "proxy-authorization",
};

constexpr std::uint32_t all_candidates = (1u << forbidden_names.size()) - 1;

}  // namespace

event trailer_section::next(std::string_view input, const limits& bounds) {
  std::size_t consumed = 0;
  while (consumed < input.size() && state_ != state::complete) {
    if (bytes_ == bounds.trailer_bytes_max) {
      return refused(error::trailer_too_large);
    }
    const error why = step(input[consumed], bounds);
    if (why != error::none) {
      return refused(why);
    }
    ++consumed;
    ++bytes_;
  }
  return {state_ == state::complete ? event_kind::end : event_kind::need_more, consumed};
}

error trailer_section::step(char c, const limits& bounds) {
  switch (state_) {
    case state::line_begin:
      return begin_line(c, bounds);
    case state::name:
      return read_name(c, bounds);
    case state::value:
      return read_value(c);
    case state::line_lf:
      return expect_lf(c, state::line_begin);
    case state::section_lf:
      return expect_lf(c, state::complete);
    case state::complete:
      break;
  }
  return error::none;
}

error trailer_section::begin_line(char c, const limits& bounds) {
  if (c == '\r') {
    state_ = state::section_lf;
    return error::none;
  }
  if (is_blank(c)) {
    return error::line_folding;
  }
  if (is(class_token, c) && fields_ == bounds.trailer_fields_max) {
    return error::too_many_trailer_fields;
  }
  ++fields_;
  name_bytes_ = 0;
  candidates_ = all_candidates;
  state_ = state::name;
  return c == ':' ? error::bad_field_name : read_name(c, bounds);
}

error trailer_section::read_name(char c, const limits& bounds) {
  if (c == ':') {
    state_ = state::value;
    return is_forbidden() ? error::forbidden_trailer_field : error::none;
  }
  if (!is(class_token, c)) {
    return is_blank(c) ? error::space_before_colon
           : c == '\r' ? error::missing_colon
           : c == '\n' ? error::bare_lf
                       : error::bad_field_name;
  }
  if (name_bytes_ == bounds.field_name_bytes_max) {
    return error::field_name_too_long;
  }
  match_name(c);
  return error::none;
}

error trailer_section::read_value(char c) {
  if (c == '\r') {
    state_ = state::line_lf;
    return error::none;
  }
  return is(class_value, c) ? error::none : c == '\n' ? error::bare_lf : error::bad_field_value;
}

error trailer_section::expect_lf(char c, state next) {
  state_ = next;
  return c == '\n' ? error::none : error::bare_cr;
}

// The name is not kept: the forbidden names that it may still become are struck off one by one.
void trailer_section::match_name(char c) {
  if (candidates_ != 0) {
    for (std::size_t i = 0; i < forbidden_names.size(); ++i) {
      const std::string_view name = forbidden_names[i];
      if (name_bytes_ >= name.size() || name[name_bytes_] != lower(c)) {
        candidates_ &= ~(1u << i);
      }
    }
  }
  ++name_bytes_;
}

bool trailer_section::is_forbidden() const {
  for (std::size_t i = 0; i < forbidden_names.size(); ++i) {
    if ((candidates_ & (1u << i)) != 0 && forbidden_names[i].size() == name_bytes_) {
      return true;
    }
  }
  return false;
}

}  // namespace bulkhead::protocol
