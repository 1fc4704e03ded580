// The trailer section of a chunked message, RFC 9110 section 6.5 and RFC 9112 section 7.1.2.
//
// Trailer fields are checked like those of a head and never merged into it. A field that frames,
// routes or authenticates a message is refused in a trailer section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/event.hpp"
#include "protocol/field_section.hpp"
#include "protocol/limits.hpp"
#include "protocol/message_head.hpp"

namespace bulkhead::protocol {

class trailer_section {
 public:
  // Takes the input behind the last chunk's line: need_more with nothing consumed, so that the
  // section stays whole; end, with all of it consumed and as `trailers`; or refused.
  event next(std::string_view input, const limits& bounds);

 private:
  field_section lines_;
  std::uint16_t fields_ = 0;
};

// Iterates over the fields of a whole trailer section, as event::trailers has it. Names and values
// are views into it.
class trailer_fields {
 public:
  class iterator {
   public:
    using value_type = field;
    using difference_type = std::ptrdiff_t;

    iterator() = default;
    explicit iterator(std::string_view rest) : rest_(rest) { take_line(); }
    const field& operator*() const { return line_; }
    const field* operator->() const { return &line_; }
    iterator& operator++() { return take_line(), *this; }
    void operator++(int) { take_line(); }
    bool operator==(const iterator& other) const {
      return line_.name.data() == other.line_.name.data();
    }

   private:
    void take_line();

    std::string_view rest_;
    field line_{};  // without a name behind the last one
  };

  explicit trailer_fields(std::string_view section) : section_(section) {}
  iterator begin() const { return iterator(section_); }
  iterator end() const { return {}; }

 private:
  std::string_view section_;
};

}  // namespace bulkhead::protocol
