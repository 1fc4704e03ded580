// Entity tags and lists of them, RFC 9110 section 8.8.3.
#pragma once

#include <optional>
#include <string_view>

namespace bulkhead::protocol {

// Views into the field's value.
struct entity_tag {
  std::string_view opaque;  // with its quotation marks
  bool weak = false;

  bool strongly_equals(const entity_tag& other) const {
    return !weak && !other.weak && opaque == other.opaque;
  }
  bool weakly_equals(const entity_tag& other) const { return opaque == other.opaque; }
};

// Takes a tag off the front of `text`; nothing, with `text` as before, when none stands there. The
// tag itself may hold commas, so lists are read with this.
std::optional<entity_tag> take_entity_tag(std::string_view& text);

// The whole text as one tag.
std::optional<entity_tag> parse_entity_tag(std::string_view text);

// Whether a list of tags, or "*", matches the tag of what is there now. What stands behind a member
// that is no tag is not read.
enum class tag_comparison : bool { weak, strong };
bool list_matches(std::string_view list, const entity_tag& current, tag_comparison how);

}  // namespace bulkhead::protocol
