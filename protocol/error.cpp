#include "protocol/error.hpp"

#include <array>

namespace bulkhead::protocol {

namespace {

struct entry {
  error why;
  std::uint16_t status;
  std::string_view name;
  std::string_view text;
};

// In the order of the enumeration, which the assertion below holds it to.
constexpr std::array<entry, error_count> entries{{
    {error::none, 0, "none", "Nothing is wrong."},
    {error::bad_method, 400, "bad_method",
     "The request line does not begin with a method made of token characters."},
    {error::bad_request_line, 400, "bad_request_line",
     "The request line is not made of a method, a target and a version with one space between."},
    {error::bad_target, 400, "bad_target",
     "The request target is empty or contains something that no URI may contain."},
    {error::bad_percent_escape, 400, "bad_percent_escape",
     "The request target has a percent sign without two hexadecimal digits after it."},
    {error::bad_target_form, 400, "bad_target_form",
     "The form of the request target does not fit the method."},
    {error::bad_version, 400, "bad_version",
     "The request line does not end with a well-formed HTTP version."},
    {error::unsupported_version, 505, "unsupported_version",
     "Only HTTP/1.0 and HTTP/1.1 are spoken here."},
    {error::request_line_too_long, 414, "request_line_too_long", "The request line is too long."},
    {error::too_many_empty_lines, 400, "too_many_empty_lines",
     "There are too many empty lines before the request line."},
    {error::bad_status_line, 502, "bad_status_line",
     "The response does not begin with a version, a status of three digits and a phrase."},
    {error::bare_cr, 400, "bare_cr", "A carriage return is not followed by a line feed."},
    {error::bare_lf, 400, "bare_lf", "A line feed is not preceded by a carriage return."},
    {error::line_folding, 400, "line_folding",
     "A line of the field section begins with whitespace."},
    {error::bad_field_name, 400, "bad_field_name",
     "A field name is empty or contains something other than token characters."},
    {error::space_before_colon, 400, "space_before_colon",
     "There is whitespace between a field name and its colon."},
    {error::missing_colon, 400, "missing_colon", "A field line has no colon."},
    {error::bad_field_value, 400, "bad_field_value", "A field value contains a control character."},
    {error::field_name_too_long, 431, "field_name_too_long", "A field name is too long."},
    {error::too_many_fields, 431, "too_many_fields", "The message has too many fields."},
    {error::head_too_large, 431, "head_too_large", "The head of the message is too large."},
    {error::missing_host, 400, "missing_host", "An HTTP/1.1 request needs a Host field."},
    {error::repeated_host, 400, "repeated_host", "The request has more than one Host field."},
    {error::bad_host, 400, "bad_host", "The Host field is not a host with an optional port."},
    {error::bad_content_length, 400, "bad_content_length",
     "The Content-Length is not one decimal number without leading zeros."},
    {error::repeated_content_length, 400, "repeated_content_length",
     "The message has more than one Content-Length field."},
    {error::bad_transfer_encoding, 400, "bad_transfer_encoding",
     "The Transfer-Encoding is malformed, or chunked is not its last and only use."},
    {error::unsupported_transfer_coding, 501, "unsupported_transfer_coding",
     "The only transfer coding understood here is chunked."},
    {error::transfer_encoding_in_http10, 400, "transfer_encoding_in_http10",
     "An HTTP/1.0 message can't have a Transfer-Encoding."},
    {error::both_framings, 400, "both_framings",
     "The message has both Content-Length and Transfer-Encoding."},
    {error::content_too_large, 413, "content_too_large", "The content is too large."},
    {error::bad_connection, 400, "bad_connection",
     "The Connection field is not a list of token options."},
    {error::unmet_expectation, 417, "unmet_expectation",
     "The only expectation that can be met here is 100-continue."},
    {error::bad_chunk_size, 400, "bad_chunk_size",
     "A chunk does not begin with its size in hexadecimal digits."},
    {error::bad_chunk_extension, 400, "bad_chunk_extension", "A chunk extension is malformed."},
    {error::chunk_extensions_too_large, 413, "chunk_extensions_too_large",
     "The chunk extensions of the message are too large."},
    {error::bad_chunk_end, 400, "bad_chunk_end", "The data of a chunk is not followed by CRLF."},
    {error::forbidden_trailer_field, 400, "forbidden_trailer_field",
     "The trailer section has a field that may only stand in the head."},
    {error::too_many_trailer_fields, 431, "too_many_trailer_fields",
     "The trailer section has too many fields."},
    {error::trailer_too_large, 431, "trailer_too_large", "The trailer section is too large."},
    {error::incomplete_message, 400, "incomplete_message",
     "The connection ended before the message was complete."},
    {error::missing_response, 502, "missing_response",
     "The connection ended before the response began."},
    {error::unexpected_response, 502, "unexpected_response",
     "The server sent something that answers no request."},
    {error::unexpected_switch, 502, "unexpected_switch",
     "The server switched protocols without being asked."},
    {error::too_many_interim_responses, 502, "too_many_interim_responses",
     "There are too many interim responses before the response."},
    {error::plain_http, 400, "plain_http", "This port speaks HTTPS: plain HTTP was sent to it."},
    {error::head_timeout, 408, "head_timeout", "The head of the request did not arrive in time."},
    {error::content_timeout, 408, "content_timeout",
     "The content of the request did not arrive in time."},
    {error::overloaded, 503, "overloaded", "The server has no room for this request now."},
    {error::shutting_down, 503, "shutting_down", "The server is shutting down."},
    {error::internal, 500, "internal", "The server failed to answer this request."},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].why != static_cast<error>(i)) {
      return false;
    }
  }
  return true;
}
static_assert(in_order());

constexpr const entry& entry_of(error why) {
  return entries[static_cast<std::size_t>(why)];
}

}  // namespace

std::uint16_t status_of(error why) {
  return entry_of(why).status;
}
std::string_view name_of(error why) {
  return entry_of(why).name;
}
std::string_view text_of(error why) {
  return entry_of(why).text;
}

}  // namespace bulkhead::protocol
