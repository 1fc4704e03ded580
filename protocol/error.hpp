// Why a message was refused: one value for every reason, final for its connection.
//
// RFC 9110 section 15 gives the statuses. A refused request gets one answer with that status and
// Connection: close; a refused response gets nothing, and 502 is what a gateway says of it. No
// later octet of the connection is interpreted.
#pragma once

#include <cstdint>
#include <string_view>

namespace bulkhead::protocol {

enum class error : std::uint8_t {
  none,

  // Request line, RFC 9112 sections 2 and 3.
  bad_method,
  bad_request_line,
  bad_target,
  bad_percent_escape,
  bad_target_form,
  bad_version,
  unsupported_version,
  request_line_too_long,
  too_many_empty_lines,

  // Status line, RFC 9112 section 4. Its version can be unsupported too.
  bad_status_line,

  // Line ends and field lines, RFC 9112 sections 2.2 and 5.
  bare_cr,
  bare_lf,
  line_folding,
  bad_field_name,
  space_before_colon,
  missing_colon,
  bad_field_value,
  field_name_too_long,
  too_many_fields,
  head_too_large,

  // Routing and framing, RFC 9112 sections 3.2, 6 and 9.
  missing_host,
  repeated_host,
  bad_host,
  bad_content_length,
  repeated_content_length,
  bad_transfer_encoding,
  unsupported_transfer_coding,
  transfer_encoding_in_http10,
  both_framings,
  content_too_large,
  bad_connection,
  unmet_expectation,

  // Chunked transfer coding, RFC 9112 section 7.1.
  bad_chunk_size,
  bad_chunk_extension,
  chunk_extensions_too_large,
  bad_chunk_end,
  forbidden_trailer_field,
  too_many_trailer_fields,
  trailer_too_large,

  // The message ended early, RFC 9112 section 8.
  incomplete_message,

  // What no request led to, RFC 9110 sections 7.8 and 15.2 and RFC 9112 section 9.
  missing_response,
  unexpected_response,
  unexpected_switch,
  too_many_interim_responses,

  // Decided by the session, which owns the clock and the budgets.
  plain_http,  // on a port for HTTPS
  head_timeout,
  content_timeout,
  overloaded,
  shutting_down,
  internal,
};

inline constexpr std::size_t error_count = static_cast<std::size_t>(error::internal) + 1;

// The status of the answer; 0 for error::none. 502 for what only a server can do wrong.
std::uint16_t status_of(error why);

// A snake_case word for logs, metrics and tests. Static storage.
std::string_view name_of(error why);

// One sentence that says what was wrong, for the answer's content. Static storage.
std::string_view text_of(error why);

}  // namespace bulkhead::protocol
