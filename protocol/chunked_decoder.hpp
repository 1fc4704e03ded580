// Decodes the chunked transfer coding, RFC 9112 section 7.1.
//
// Sizes are 1*HEXDIG, every line ends in CRLF, extensions are checked and dropped. Content comes
// out as views into the input, in pieces that depend on how the input was split. Memory is
// constant; what is consumed need not be kept, and the trailer section is consumed when it is
// whole.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/chunk_extension.hpp"
#include "protocol/event.hpp"
#include "protocol/limits.hpp"
#include "protocol/trailer_section.hpp"

namespace bulkhead::protocol {

class chunked_decoder {
 public:
  // The next piece of content (`consumed` counts the framing before it too), end behind the trailer
  // section with that as `trailers`, need_more with what was consumed, or refused. Not to be called
  // after end or refused.
  event next(std::string_view input, const limits& bounds);

  // Octets of content announced so far.
  std::uint64_t content_bytes() const { return announced_; }

 private:
  enum class state : std::uint8_t {
    size_begin,
    size,
    extension,
    size_lf,
    data,
    data_cr,
    data_lf,
    trailer,
  };

  std::size_t pass_framing(std::string_view input, const limits& bounds);
  error step(char c, const limits& bounds);
  error read_size(char c, const limits& bounds);
  error read_extension(char c, const limits& bounds);
  error end_of_size(char c);
  event take_data(std::string_view input, std::size_t from);
  event take_trailer(std::string_view input, std::size_t from, const limits& bounds);

  std::uint64_t size_ = 0;       // of the chunk: as read so far, then what is left of it
  std::uint64_t announced_ = 0;  // sizes of all chunks before this one, then with it
  std::uint32_t extension_bytes_ = 0;
  trailer_section trailer_;
  chunk_extension extension_;
  std::uint8_t digits_ = 0;
  state state_ = state::size_begin;
};

}  // namespace bulkhead::protocol
