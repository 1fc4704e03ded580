#include "protocol/entity_tag.hpp"

#include <cstddef>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

// etagc: visible octets without the quotation mark.
bool is_tag_character(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != '"' && c != 0x7f;
}

void skip_separators(std::string_view& list) {
  while (!list.empty() && (is_blank(list.front()) || list.front() == ',')) {
    list.remove_prefix(1);
  }
}

}  // namespace

std::optional<entity_tag> take_entity_tag(std::string_view& text) {
  const bool weak = text.starts_with("W/");
  const std::string_view quoted = text.substr(weak ? 2 : 0);
  if (!quoted.starts_with('"')) {
    return std::nullopt;
  }
  std::size_t end = 1;
  while (end < quoted.size() && is_tag_character(quoted[end])) {
    ++end;
  }
  if (end == quoted.size() || quoted[end] != '"') {
    return std::nullopt;
  }
  text = quoted.substr(end + 1);
  return entity_tag{quoted.substr(0, end + 1), weak};
}

std::optional<entity_tag> parse_entity_tag(std::string_view text) {
  const auto tag = take_entity_tag(text);
  return text.empty() ? tag : std::nullopt;
}

bool list_matches(std::string_view list, const entity_tag& current, tag_comparison how) {
  if (trim_blanks(list) == "*") {
    return true;
  }
  for (skip_separators(list); !list.empty(); skip_separators(list)) {
    const auto tag = take_entity_tag(list);
    const bool ends = list.empty() || is_blank(list.front()) || list.front() == ',';
    if (!tag || !ends) {
      return false;
    }
    if (how == tag_comparison::strong ? tag->strongly_equals(current)
                                      : tag->weakly_equals(current)) {
      return true;
    }
  }
  return false;
}

}  // namespace bulkhead::protocol
