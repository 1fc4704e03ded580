#include "protocol/trailer_section.hpp"

#include <algorithm>
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

bool is_forbidden(std::string_view name) {
  return std::ranges::any_of(forbidden_names,
                             [name](std::string_view other) { return same_word(name, other); });
}

}  // namespace

event trailer_section::next(std::string_view input, const limits& bounds) {
  const field_section::bounds allowed{bounds.trailer_bytes_max, bounds.field_name_bytes_max,
                                      error::trailer_too_large};
  for (;;) {
    const auto found = lines_.next(input, allowed);
    switch (found.kind) {
      case field_section::verdict::need_more:
        return {};
      case field_section::verdict::refused:
        return refused(found.why);
      case field_section::verdict::end:
        return {event_kind::end,
                lines_.position(),
                {},
                error::none,
                input.substr(0, lines_.position())};
      case field_section::verdict::line:
        if (fields_ == bounds.trailer_fields_max) {
          return refused(error::too_many_trailer_fields);
        }
        ++fields_;
        if (is_forbidden(found.name)) {
          return refused(error::forbidden_trailer_field);
        }
    }
  }
}

void trailer_fields::iterator::take_line() {
  const std::size_t end = rest_.find('\r');
  if (end == 0 || end == std::string_view::npos) {
    line_ = {};
    return;
  }
  const std::string_view line = rest_.substr(0, end);
  const std::size_t colon = line.find(':');
  line_ = {line.substr(0, colon), trim_blanks(line.substr(colon + 1))};
  rest_.remove_prefix(end + 2);
}

}  // namespace bulkhead::protocol
