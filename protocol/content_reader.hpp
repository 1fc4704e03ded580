// Reads the content of one message in whichever framing its head chose, RFC 9112 section 6.3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "protocol/chunked_decoder.hpp"
#include "protocol/event.hpp"
#include "protocol/framing.hpp"
#include "protocol/limits.hpp"

namespace bulkhead::protocol {

class content_reader {
 public:
  content_reader() = default;

  // `length` counts for framing::length only.
  content_reader(framing chosen, std::uint64_t length) : left_(length), framing_(chosen) {}

  // Like chunked_decoder::next(), but end costs no input when there is a length or no content.
  // Content until the close has no end here: that is the connection's to say.
  event next(std::string_view input, const limits& bounds) {
    switch (framing_) {
      case framing::chunked:
        return decoder_.next(input, bounds);
      case framing::until_close:
        return take_all(input, bounds);
      case framing::length:
        break;
    }
    return left_ == 0 ? event{event_kind::end} : take(input);
  }

  bool until_close() const { return framing_ == framing::until_close; }

 private:
  event take(std::string_view input) {
    const std::uint64_t there = input.size();
    const std::string_view piece =
        input.substr(0, static_cast<std::size_t>(std::min(there, left_)));
    left_ -= piece.size();
    return piece.empty() ? event{} : event{event_kind::content, piece.size(), piece};
  }

  event take_all(std::string_view input, const limits& bounds) {
    if (!counting_) {
      counting_ = true;
      left_ = bounds.content_bytes_max;
    }
    return left_ == 0 && !input.empty() ? refused(error::content_too_large) : take(input);
  }

  std::uint64_t left_ = 0;  // of the length, or of what the limit allows
  chunked_decoder decoder_;
  framing framing_ = framing::length;
  bool counting_ = false;
};

}  // namespace bulkhead::protocol
