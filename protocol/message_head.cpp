#include "protocol/message_head.hpp"

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

message_head::message_head(std::size_t fields_max)
    : entries_(std::make_unique<entry[]>(fields_max)),
      fields_max_(static_cast<std::uint16_t>(fields_max)) {}

std::optional<std::string_view> message_head::find(std::string_view name) const {
  for (const auto [candidate, value] : fields()) {
    if (same_word(candidate, name)) {
      return value;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> message_head::content_length() const {
  return has_content_length_ ? std::optional(content_length_) : std::nullopt;
}

bool message_head::keep_alive() const {
  return !option_close_ && (minor_version_ > 0 || option_keep_alive_);
}

std::string_view message_head::upgrade() const {
  return option_upgrade_ && minor_version_ > 0 ? at(upgrade_) : std::string_view{};
}

message_head::slice message_head::slice_of(std::string_view part) const {
  if (part.empty()) {
    return {};
  }
  const auto begin = static_cast<std::uint16_t>(part.data() - base_);
  return {begin, static_cast<std::uint16_t>(begin + part.size())};
}

void message_head::clear() {
  content_length_ = 0;
  size_bytes_ = 0;
  field_count_ = 0;
  upgrade_ = {};
  minor_version_ = 1;
  has_content_length_ = has_transfer_encoding_ = chunked_ = false;
  option_close_ = option_keep_alive_ = option_upgrade_ = false;
}

}  // namespace bulkhead::protocol
