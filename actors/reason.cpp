#include "actors/reason.hpp"

#include <array>

namespace bulkhead {

std::string_view name_of(reason why) {
  static constexpr std::array<std::string_view, reason_count> names{"served",
                                                                    "closed",
                                                                    "peer_left",
                                                                    "peer_reset",
                                                                    "bad_head",
                                                                    "bad_framing",
                                                                    "too_large",
                                                                    "incomplete",
                                                                    "plain_http",
                                                                    "handshake_failed",
                                                                    "tls_error",
                                                                    "handshake_timeout",
                                                                    "first_byte_timeout",
                                                                    "head_timeout",
                                                                    "content_timeout",
                                                                    "content_too_slow",
                                                                    "handler_timeout",
                                                                    "write_stall",
                                                                    "idle_timeout",
                                                                    "exception",
                                                                    "bad_response",
                                                                    "source_failed",
                                                                    "file_failed",
                                                                    "trap",
                                                                    "crashed",
                                                                    "budget_exceeded",
                                                                    "out_of_memory",
                                                                    "handler_overloaded",
                                                                    "handler_unavailable",
                                                                    "overloaded",
                                                                    "shed",
                                                                    "out_of_descriptors",
                                                                    "drain",
                                                                    "internal"};
  return names[static_cast<std::size_t>(why)];
}

reason reason_of(protocol::error why) {
  using enum protocol::error;
  switch (why) {
    case none:
      return reason::served;
    case request_line_too_long:
    case field_name_too_long:
    case too_many_fields:
    case head_too_large:
    case content_too_large:
    case chunk_extensions_too_large:
    case too_many_trailer_fields:
    case trailer_too_large:
      return reason::too_large;
    case bad_content_length:
    case repeated_content_length:
    case bad_transfer_encoding:
    case unsupported_transfer_coding:
    case transfer_encoding_in_http10:
    case both_framings:
    case bad_chunk_size:
    case bad_chunk_extension:
    case bad_chunk_end:
    case forbidden_trailer_field:
      return reason::bad_framing;
    case incomplete_message:
      return reason::incomplete;
    case plain_http:
      return reason::plain_http;
    case head_timeout:
      return reason::head_timeout;
    case content_timeout:
      return reason::content_timeout;
    case overloaded:
      return reason::overloaded;
    case shutting_down:
      return reason::drain;
    case internal:
      return reason::internal;
    default:
      return reason::bad_head;
  }
}

}  // namespace bulkhead
