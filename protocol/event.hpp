// The one shape in which parsers answer: what was found, and how many octets it took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/error.hpp"

namespace bulkhead::protocol {

enum class event_kind : std::uint8_t {
  need_more,  // nothing further can be said without more input
  head,       // a whole head is there
  content,    // a piece of content is there
  end,        // the message is complete
  refused,    // the peer broke a rule or a limit; this never changes again
};

// `consumed` octets of the input are done with: the caller drops them before the next call, except
// that a head's octets have to stay for as long as its views are used. `content` is a view into the
// input, so it lives as long as the input does. `why` is set for refused only. `trailers` is the
// trailer section at the end of chunked content, for trailer_fields; a view into the input too.
struct event {
  event_kind kind = event_kind::need_more;
  std::size_t consumed = 0;
  std::string_view content{};
  error why = error::none;
  std::string_view trailers{};
};

constexpr event refused(error why) {
  return {event_kind::refused, 0, {}, why};
}

}  // namespace bulkhead::protocol
