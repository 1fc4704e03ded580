#include "protocol/conditional.hpp"

#include <algorithm>

#include "protocol/date_parser.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

using fields_of = request_head::field_range;

// Whether one of the lists in all field lines with that name matches; nothing when there is none.
std::optional<bool> any_matches(const fields_of& fields, std::string_view name,
                                const entity_tag& current, tag_comparison how) {
  std::optional<bool> found;
  for (const auto& [line_name, value] : fields) {
    if (same_word(line_name, name)) {
      found = found.value_or(false) || list_matches(value, current, how);
    }
  }
  return found;
}

// The value of a field that may stand but once; nothing when it is not there or comes again.
std::optional<std::string_view> single(const fields_of& fields, std::string_view name) {
  std::optional<std::string_view> found;
  for (const auto& [line_name, value] : fields) {
    if (!same_word(line_name, name)) {
      continue;
    }
    if (found) {
      return std::nullopt;
    }
    found = value;
  }
  return found;
}

std::optional<std::time_t> date_in(const fields_of& fields, std::string_view name,
                                   std::time_t now) {
  const auto value = single(fields, name);
  return value ? parse_date(*value, now) : std::nullopt;
}

bool range_is_current(const fields_of& fields, const validators& current, std::time_t now) {
  const bool unconditional = std::ranges::none_of(
      fields, [](const field& line) { return same_word(line.name, "if-range"); });
  if (unconditional) {
    return true;
  }
  const auto value = single(fields, "if-range").value_or("");
  if (const auto tag = parse_entity_tag(value)) {
    return tag->strongly_equals(current.tag);
  }
  return parse_date(value, now) == current.last_modified && current.last_modified < now;
}

}  // namespace

precondition evaluate(const fields_of& fields, method request_method, const validators& current,
                      std::time_t now) {
  const bool reads = request_method == method::get || request_method == method::head;
  const auto match = any_matches(fields, "if-match", current.tag, tag_comparison::strong);
  if (match == false) {
    return precondition::failed;
  }
  if (!match) {
    const auto since = date_in(fields, "if-unmodified-since", now);
    if (since && current.last_modified > *since) {
      return precondition::failed;
    }
  }
  const auto none_match = any_matches(fields, "if-none-match", current.tag, tag_comparison::weak);
  if (none_match == true) {
    return reads ? precondition::not_modified : precondition::failed;
  }
  if (!none_match && reads) {
    const auto since = date_in(fields, "if-modified-since", now);
    if (since && current.last_modified <= *since) {
      return precondition::not_modified;
    }
  }
  return precondition::proceed;
}

std::optional<std::string_view> range_to_heed(const fields_of& fields, method request_method,
                                              const validators& current, std::time_t now) {
  const auto range = single(fields, "range");
  if (request_method != method::get || !range || !range_is_current(fields, current, now)) {
    return std::nullopt;
  }
  return range;
}

}  // namespace bulkhead::protocol
