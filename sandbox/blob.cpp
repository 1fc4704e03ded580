#include "sandbox/blob.hpp"

#include "sandbox/bulkhead_guest.h"

namespace bulkhead::sandbox {
namespace {

constexpr std::size_t head_bytes_min = BULKHEAD_HEAD_BYTES;
constexpr std::size_t field_bytes_min = BULKHEAD_FIELD_BYTES;

std::uint32_t number_at(const char* at) {
  return bulkhead_get_u32(reinterpret_cast<const std::uint8_t*>(at));
}

void put(char* at, std::size_t value) {
  bulkhead_put_u32(reinterpret_cast<std::uint8_t*>(at), static_cast<std::uint32_t>(value));
}

// Moves `fields` behind its first one, which is whole and within the bounds.
blob_error skip_field(std::string_view& fields) {
  if (fields.size() < field_bytes_min) return blob_error::bad_fields;
  const std::size_t name = number_at(fields.data());
  const std::size_t value = number_at(fields.data() + 4);
  if (name > blob_bounds::name_bytes_max || value > blob_bounds::value_bytes_max)
    return blob_error::field_too_long;
  if (name + value > fields.size() - field_bytes_min) return blob_error::bad_fields;
  fields.remove_prefix(field_bytes_min + name + value);
  return blob_error::none;
}

blob_error check_fields(std::string_view fields, std::uint32_t count) {
  if (count > blob_bounds::fields_max) return blob_error::too_many_fields;
  for (std::uint32_t i = 0; i < count; ++i)
    if (const auto error = skip_field(fields); error != blob_error::none) return error;
  return fields.empty() ? blob_error::none : blob_error::bad_fields;
}

}  // namespace

blob_writer::blob_writer(std::string& to, std::uint32_t code) : to_(to), code_(code) {
  to_.assign(head_bytes_min, '\0');
}

blob_writer& blob_writer::field(std::string_view name, std::string_view value) {
  fits_ = fits_ && name.size() <= blob_bounds::name_bytes_max &&
          value.size() <= blob_bounds::value_bytes_max && field_count_ < blob_bounds::fields_max;
  if (!fits_) return *this;
  char lengths[field_bytes_min];
  put(lengths, name.size());
  put(lengths + 4, value.size());
  to_.append(lengths, sizeof lengths).append(name).append(value);
  ++field_count_;
  return *this;
}

bool blob_writer::finish(std::string_view content) {
  const auto head = to_.size();
  if (!fits_ || code_ > blob_bounds::code_max ||
      content.size() > blob_bounds::blob_bytes_max - head)
    return false;
  to_.append(content);
  put(to_.data(), BULKHEAD_MAGIC);
  put(to_.data() + 4, to_.size());
  put(to_.data() + 8, code_);
  put(to_.data() + 12, field_count_);
  put(to_.data() + 16, head);
  put(to_.data() + 20, content.size());
  return true;
}

blob_error blob_view::read(std::string_view bytes, blob_view& view) {
  if (bytes.size() < head_bytes_min) return blob_error::truncated;
  if (number_at(bytes.data()) != BULKHEAD_MAGIC) return blob_error::bad_magic;
  const std::size_t head = number_at(bytes.data() + 16);
  const std::size_t content = number_at(bytes.data() + 20);
  if (bytes.size() > blob_bounds::blob_bytes_max || number_at(bytes.data() + 4) != bytes.size() ||
      head < head_bytes_min || head > bytes.size() || content != bytes.size() - head)
    return blob_error::bad_length;
  const auto code = number_at(bytes.data() + 8);
  if (code > blob_bounds::code_max) return blob_error::bad_code;
  const auto count = number_at(bytes.data() + 12);
  const auto fields = bytes.substr(head_bytes_min, head - head_bytes_min);
  if (const auto error = check_fields(fields, count); error != blob_error::none) return error;
  view.fields_ = fields;
  view.content_ = bytes.substr(head);
  view.code_ = code;
  view.field_count_ = count;
  return blob_error::none;
}

blob_view::field blob_view::iterator::operator*() const {
  const auto* name = at_ + field_bytes_min;
  return {{name, number_at(at_)}, {name + number_at(at_), number_at(at_ + 4)}};
}

blob_view::iterator& blob_view::iterator::operator++() {
  at_ += field_bytes_min + number_at(at_) + number_at(at_ + 4);
  return *this;
}

std::string_view blob_view::find(std::string_view name) const {
  for (const auto& one : *this)
    if (one.name == name) return one.value;
  return {};
}

const char* to_string(blob_error error) {
  switch (error) {
    case blob_error::none:
      return "none";
    case blob_error::truncated:
      return "shorter than a header";
    case blob_error::bad_magic:
      return "no blob of this version";
    case blob_error::bad_length:
      return "the lengths do not add up";
    case blob_error::bad_code:
      return "the code is out of range";
    case blob_error::too_many_fields:
      return "too many fields";
    case blob_error::field_too_long:
      return "a field is too long";
    case blob_error::bad_fields:
      return "the fields do not end where the content begins";
  }
  return "unknown";
}

}  // namespace bulkhead::sandbox
