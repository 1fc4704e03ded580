// Reads the content of one request in whichever framing its head chose, RFC 9112 section 6.3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "protocol/chunked_decoder.hpp"
#include "protocol/event.hpp"
#include "protocol/limits.hpp"
#include "protocol/request_head.hpp"

namespace bulkhead::protocol {

class content_reader {
 public:
  content_reader() = default;
  explicit content_reader(const request_head& head)
      : remaining_(head.content_length().value_or(0)), chunked_(head.chunked()) {}

  // Like chunked_decoder::next(), but end costs no input when there is a length or no content.
  event next(std::string_view input, const limits& bounds) {
    return chunked_ ? decoder_.next(input, bounds) : take(input);
  }

 private:
  event take(std::string_view input) {
    if (remaining_ == 0) {
      return {event_kind::end};
    }
    const std::uint64_t there = input.size();
    const std::string_view piece =
        input.substr(0, static_cast<std::size_t>(std::min(there, remaining_)));
    remaining_ -= piece.size();
    return piece.empty() ? event{} : event{event_kind::content, piece.size(), piece};
  }

  std::uint64_t remaining_ = 0;
  chunked_decoder decoder_;
  bool chunked_ = false;
};

}  // namespace bulkhead::protocol
