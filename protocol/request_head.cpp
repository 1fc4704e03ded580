#include "protocol/request_head.hpp"

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

request_head::request_head(std::size_t fields_max)
    : entries_(std::make_unique<entry[]>(fields_max)),
      fields_max_(static_cast<std::uint16_t>(fields_max)) {}

std::optional<std::string_view> request_head::find(std::string_view name) const {
  for (const auto [candidate, value] : fields()) {
    if (same_word(candidate, name)) {
      return value;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> request_head::content_length() const {
  return has_content_length_ ? std::optional(content_length_) : std::nullopt;
}

bool request_head::keep_alive() const {
  return !option_close_ && (minor_version_ > 0 || option_keep_alive_);
}

std::string_view request_head::upgrade() const {
  return option_upgrade_ && minor_version_ > 0 ? at(upgrade_) : std::string_view{};
}

request_head::slice request_head::slice_of(std::string_view part) const {
  if (part.empty()) {
    return {};
  }
  const auto begin = static_cast<std::uint16_t>(part.data() - base_);
  return {begin, static_cast<std::uint16_t>(begin + part.size())};
}

void request_head::clear() {
  content_length_ = 0;
  size_bytes_ = 0;
  field_count_ = 0;
  method_ = target_ = path_ = query_ = authority_ = upgrade_ = {};
  known_method_ = protocol::method::unknown;
  form_ = target_form::origin;
  minor_version_ = 1;
  has_slash_path_ = has_query_ = has_host_ = false;
  has_content_length_ = has_transfer_encoding_ = chunked_ = expects_continue_ = false;
  option_close_ = option_keep_alive_ = option_upgrade_ = false;
}

void request_head::set_target(const target_parts& parts) {
  form_ = parts.form;
  has_query_ = parts.has_query;
  has_slash_path_ = parts.form == target_form::absolute && parts.path.empty();
  authority_ = slice_of(parts.authority);
  path_ = slice_of(parts.path);
  query_ = slice_of(parts.query);
}

}  // namespace bulkhead::protocol
