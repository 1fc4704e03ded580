#include "protocol/response_parser.hpp"

#include "protocol/field_rules.hpp"
#include "protocol/scan/scanner.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

event response_parser::next(std::string_view input, const limits& bounds, response_head& head) {
  if (auto* const lines = std::get_if<line_walk>(&progress_)) {
    return read_lines(*lines, input, bounds, head);
  }
  if (auto* const octets = std::get_if<octets_of_first_line>(&progress_)) {
    return read_first_line(*octets, input, bounds, head);
  }
  return std::get<octet_response_parser>(progress_).next(input, bounds, head);
}

event response_parser::read_lines(line_walk& lines, std::string_view input, const limits& bounds,
                                  response_head& head) {
  if (lines.is_at_first_line()) {
    head.clear();
  }
  head.base_ = input.data();
  const std::string_view allowed = input.substr(0, bounds.head_bytes_max);
  const auto take_first_line = [&head](std::size_t, std::size_t lf) {
    return take_status_line(lf, head);
  };
  switch (lines.next(allowed, bounds.field_name_bytes_max, head, take_first_line)) {
    case line_walk::verdict::end: {
      const std::size_t size = lines.line_begin() + 2;
      head.size_bytes_ = static_cast<std::uint32_t>(size);
      field_rules::conclude(head);
      return {event_kind::head, size};
    }
    case line_walk::verdict::need_more:
      if (allowed.size() < bounds.head_bytes_max) {
        return {};
      }
      break;
    case line_walk::verdict::first_line_unfinished:
      return read_first_line(progress_.emplace<octets_of_first_line>(), input, bounds, head);
    case line_walk::verdict::doubt:
      break;
  }
  return progress_.emplace<octet_response_parser>().next(input, bounds, head);
}

// "HTTP/1.1 200 " and a reason phrase, whose octets the scan has looked at.
bool response_parser::take_status_line(std::size_t lf, response_head& head) {
  constexpr std::size_t reason_begin = 13;
  const char* const data = head.base_;
  if (lf <= reason_begin) {
    return false;
  }
  const std::string_view version{data, 9};
  if (version != "HTTP/1.1 ") {
    if (version != "HTTP/1.0 ") {
      return false;
    }
    head.minor_version_ = 0;
  }
  unsigned status = 0;
  for (std::size_t at = 9; at < 12; ++at) {
    const auto digit = static_cast<unsigned char>(data[at] - '0');
    if (digit > 9) {
      return false;
    }
    status = status * 10 + digit;
  }
  head.status_ = static_cast<std::uint16_t>(status);
  head.reason_ = {reason_begin, static_cast<std::uint16_t>(lf - 1)};
  return status >= 100 && data[12] == ' ';
}

event response_parser::read_first_line(octets_of_first_line& octets, std::string_view input,
                                       const limits& bounds, response_head& head) {
  const event found = octets.next(input, bounds, head);
  if (found.kind == event_kind::need_more && octets.is_behind_status_line()) {
    progress_.emplace<line_walk>(octets.line_begin());
  }
  return found;
}

}  // namespace bulkhead::protocol
