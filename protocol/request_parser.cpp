#include "protocol/request_parser.hpp"

#include <cstring>

#include "protocol/field_rules.hpp"
#include "protocol/scan/scanner.hpp"

namespace bulkhead::protocol {

// From both ends: the method's end is known, the version has one length, and what is between them
// is the target. Other versions than 1.0 and 1.1 are rare enough to be doubts.
bool request_parser::take_request_line(std::size_t method_end, std::size_t lf, const limits& bounds,
                                       request_head& head) {
  constexpr std::size_t shortest_rest = 12;  // " / HTTP/1.1\r"
  const char* const data = head.base_;
  if (method_end == 0 || lf < method_end + shortest_rest ||
      lf > bounds.request_line_bytes_max + 1 || data[method_end] != ' ') {
    return false;
  }
  const std::string_view version{data + lf - 10, 9};
  if (version != " HTTP/1.1") {
    if (version != " HTTP/1.0") {
      return false;
    }
    head.minor_version_ = 0;
  }
  head.method_ = {0, static_cast<std::uint16_t>(method_end)};
  head.known_method_ = method_of(head.method());
  head.target_ = {static_cast<std::uint16_t>(method_end + 1), static_cast<std::uint16_t>(lf - 10)};
  return take_target(head);
}

// Origin-form without escapes at once, every other target by the rules for all of them.
bool request_parser::take_target(request_head& head) {
  const std::string_view target = head.target();
  const char* const end = target.data() + target.size();
  if (target.front() == '/' && head.known_method() != method::connect) {
    const scanner& instructions = chosen_scanner();
    const char* const path_end = instructions.skip_path(target.data(), end);
    const bool has_query = path_end != end && *path_end == '?';
    if (path_end == end || (has_query && instructions.skip_query(path_end + 1, end) == end)) {
      const auto path_bytes = static_cast<std::uint16_t>(path_end - target.data());
      head.path_ = {head.target_.begin,
                    static_cast<std::uint16_t>(head.target_.begin + path_bytes)};
      head.has_query_ = has_query;
      if (has_query) {
        head.query_ = {static_cast<std::uint16_t>(head.path_.end + 1), head.target_.end};
      }
      return true;
    }
  }
  return take_other_target(head);
}

bool request_parser::take_other_target(request_head& head) {
  target_parts parts;
  const error why = parse_target(head.target(), head.known_method(), parts);
  head.set_target(parts);
  return why == error::none;
}

event request_parser::next(std::string_view input, const limits& bounds, request_head& head) {
  if (auto* const lines = std::get_if<line_walk>(&progress_)) {
    return read_lines(*lines, input, bounds, head);
  }
  if (auto* const octets = std::get_if<octets_of_first_line>(&progress_)) {
    return read_first_line(*octets, input, bounds, head);
  }
  return std::get<octet_request_parser>(progress_).next(input, bounds, head);
}

event request_parser::read_lines(line_walk& lines, std::string_view input, const limits& bounds,
                                 request_head& head) {
  if (lines.is_at_first_line()) {
    head.clear();
  }
  head.base_ = input.data();
  const std::string_view allowed = input.substr(0, bounds.head_bytes_max);
  const auto take_first_line = [&](std::size_t token_end, std::size_t lf) {
    return take_request_line(token_end, lf, bounds, head);
  };
  switch (lines.next(allowed, bounds.field_name_bytes_max, head, take_first_line)) {
    case line_walk::verdict::end: {
      const std::size_t size = lines.line_begin() + 2;
      head.size_bytes_ = static_cast<std::uint32_t>(size);
      const error why = field_rules::conclude(head, bounds);
      return why == error::none ? event{event_kind::head, size} : refused(why);
    }
    case line_walk::verdict::need_more: {
      const std::size_t begin = lines.line_begin();
      const bool one_too_many = head.is_full() && begin < allowed.size() && allowed[begin] != '\r';
      if (allowed.size() < bounds.head_bytes_max && !one_too_many) {
        return {};
      }
      break;
    }
    case line_walk::verdict::first_line_unfinished:
      return read_first_line(progress_.emplace<octets_of_first_line>(), input, bounds, head);
    case line_walk::verdict::doubt:
      break;
  }
  return progress_.emplace<octet_request_parser>().next(input, bounds, head);
}

event request_parser::read_first_line(octets_of_first_line& octets, std::string_view input,
                                      const limits& bounds, request_head& head) {
  const event found = octets.next(input, bounds, head);
  if (found.kind == event_kind::need_more && octets.is_behind_request_line()) {
    progress_.emplace<line_walk>(octets.line_begin());
  }
  return found;
}

}  // namespace bulkhead::protocol
