// What a caller did wrong when it wrote a message. Nothing was written, nothing changed.
#pragma once

#include <cstdint>
#include <string_view>

namespace bulkhead::protocol {

enum class write_error : std::uint8_t {
  no_request,             // no response is owed now
  response_already_sent,  // the request has had its response, or is having it
  connection_closed,      // a refusal or the end of the connection came first
  not_streaming,          // write or finish without begin
  content_not_allowed,    // content with a status or a method that has none
  connect_accepted,       // a 2xx to CONNECT would open a tunnel that nobody serves
  upgrade_not_requested,  // 101 without the request asking for it
  upgrade_unnamed,        // 101 without an Upgrade field
  upgrade_not_offered,    // 101 to a protocol that the request did not name
  request_not_read,       // 101 before the request is complete
  request_unfinished,     // a request before the content of the one before is written
  too_many_requests,      // a request beyond pipelined_requests_max
  switch_pending,         // a request behind one that may end HTTP on this connection
  content_held,           // content that waits for 100 (Continue)
  wrong_length,           // content longer or shorter than was announced
};

// One sentence for the log. Static storage.
constexpr std::string_view text_of(write_error what) {
  // clang-format off
  switch (what) {
    case write_error::no_request: return "There is no request to answer.";
    case write_error::response_already_sent: return "The request has had its response already.";
    case write_error::connection_closed: return "The connection takes no more responses.";
    case write_error::not_streaming: return "No streamed message has begun.";
    case write_error::content_not_allowed: return "A message with this status or method can't have content.";
    case write_error::connect_accepted: return "CONNECT was answered with success.";
    case write_error::upgrade_not_requested: return "The request did not ask to switch protocols.";
    case write_error::upgrade_unnamed: return "A 101 response needs an Upgrade field.";
    case write_error::upgrade_not_offered: return "The request did not offer this protocol.";
    case write_error::request_unfinished: return "The request before is not complete.";
    case write_error::too_many_requests: return "Too many requests await their response.";
    case write_error::switch_pending: return "The connection may be about to switch protocols.";
    case write_error::content_held: return "The content waits for 100 (Continue).";
    case write_error::wrong_length: return "The content does not have the announced length.";
    case write_error::request_not_read: return "The request was not read to its end.";
  }
  // clang-format on
  return {};
}

}  // namespace bulkhead::protocol
