// The message that goes into a sandbox and comes out of it: BLOB.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace bulkhead::sandbox {

struct blob_bounds {
  static constexpr std::uint32_t code_max = 999;
  static constexpr std::uint32_t fields_max = 256;
  static constexpr std::uint32_t name_bytes_max = 256;
  static constexpr std::uint32_t value_bytes_max = 64 * 1024;
  static constexpr std::uint32_t blob_bytes_max = 1u << 30;
};

// Appends one message to a buffer: all fields, then the content, then finish().
//
// `to` is cleared and must outlive the writer. Bounds are the caller's promise, except that
// finish() tells whether they were kept. Keep the string to write the next one without allocation.
class blob_writer {
 public:
  explicit blob_writer(std::string& to, std::uint32_t code = 0);

  blob_writer& field(std::string_view name, std::string_view value);
  // The last call.
  bool finish(std::string_view content);

 private:
  std::string& to_;
  std::uint32_t field_count_ = 0;
  std::uint32_t code_;
  bool fits_ = true;
};

enum class blob_error : std::uint8_t {
  none,
  truncated,   // shorter than its header
  bad_magic,   // another version, or no blob at all
  bad_length,  // the lengths do not add up to what came
  bad_code,    // above code_max
  too_many_fields,
  field_too_long,
  bad_fields,  // they do not end where the content begins, or are fewer or more than said
};
const char* to_string(blob_error error);

// A message that was validated, as views into the bytes that it was made from.
class blob_view {
 public:
  struct field {
    std::string_view name;
    std::string_view value;
  };

  // A forward walk over the fields, in their order.
  class iterator {
   public:
    using value_type = field;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    explicit iterator(const char* at) : at_(at) {}
    field operator*() const;
    iterator& operator++();
    iterator operator++(int) {
      auto before = *this;
      ++*this;
      return before;
    }
    bool operator==(const iterator&) const = default;

   private:
    const char* at_ = nullptr;
  };

  // An empty response, of which only the accessors may be called.
  blob_view() = default;

  // Checks everything once; `bytes` must not change afterwards: never memory that a guest can
  // still write to. On an error `view` is as it was.
  static blob_error read(std::string_view bytes, blob_view& view);

  std::uint32_t code() const { return code_; }
  std::uint32_t field_count() const { return field_count_; }
  std::string_view content() const { return content_; }
  iterator begin() const { return iterator(fields_.data()); }
  iterator end() const { return iterator(fields_.data() + fields_.size()); }
  // The first of that exact name; empty: none.
  std::string_view find(std::string_view name) const;

 private:
  std::string_view fields_;
  std::string_view content_;
  std::uint32_t code_ = 0;
  std::uint32_t field_count_ = 0;
};

}  // namespace bulkhead::sandbox
