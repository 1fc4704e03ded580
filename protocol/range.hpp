// The Range field in bytes, RFC 9110 section 14.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bulkhead::protocol {

// Not empty, and inside the representation.
struct byte_range {
  std::uint64_t first = 0;
  std::uint64_t bytes = 0;
  std::uint64_t last() const { return first + bytes - 1; }
  bool operator==(const byte_range&) const = default;
};

// What a Range field selects of a representation.
class range_selection {
 public:
  // More ranges than this, or ranges that overlap, are more work than one answer with everything:
  // such a field is ignored (section 14.2).
  static constexpr std::size_t ranges_max = 16;

  enum class kind : std::uint8_t {
    whole,          // no use is made of the field: 200
    part,           // ranges(): 206
    unsatisfiable,  // nothing of it is there: 416
  };

  kind what() const { return kind_; }
  // In the order in which they were asked for; one or more for `part`, else none.
  std::span<const byte_range> ranges() const { return {ranges_.data(), count_}; }

 private:
  friend range_selection select_ranges(std::string_view field, std::uint64_t size_bytes);

  bool add(byte_range range);

  std::array<byte_range, ranges_max> ranges_{};
  std::size_t count_ = 0;
  kind kind_ = kind::whole;
};

// Reads the value of a Range field for a representation of that size. Another unit, and anything
// that the grammar does not know, selects the whole. Numbers of any length are understood: beyond
// 64 bits they are beyond every end. An empty representation has no range, and is always whole.
range_selection select_ranges(std::string_view field, std::uint64_t size_bytes);

}  // namespace bulkhead::protocol
