// The client's side of one HTTP/1.1 connection: requests in, octets out; octets in, events out.
//
// RFC 9112. No I/O, no clock, no threads, no allocation besides growth of the caller's output
// strings. Requests may be pipelined, up to pipelined_requests_max; responses come in their order.
// Which requests may be pipelined or sent again is the caller's to judge (RFC 9112 section 9.3.2,
// RFC 9110 section 9.2.2).
//
// One thread at a time may call; a connection knows nothing of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/client_state.hpp"
#include "protocol/content_reader.hpp"
#include "protocol/event.hpp"
#include "protocol/limits.hpp"
#include "protocol/pending_requests.hpp"
#include "protocol/request.hpp"
#include "protocol/request_writer.hpp"
#include "protocol/response_head.hpp"
#include "protocol/response_parser.hpp"

namespace bulkhead::protocol {

class client_connection {
 public:
  // Borrows the limits, which must outlive the connection and satisfy check().
  explicit client_connection(const limits& bounds) : bounds_(&bounds) {}

  // Appends a request: head and content. When the request expects 100 (Continue) and has content,
  // only the head; its content is then given with write_stream() and finish_stream(), once
  // holds_content() is false. On an error nothing was appended and nothing has changed.
  std::optional<write_error> send(const request& asked, std::string& out);

  // A request whose content comes in pieces: `length` octets, or chunked when that is not known.
  // Content of `asked` is not written. Empty pieces write nothing. More or less content than was
  // announced is an error; a request that can't be finished is abandoned.
  std::optional<write_error> begin_stream(const request& asked, std::optional<std::uint64_t> length,
                                          std::string& out);
  std::optional<write_error> write_stream(std::string_view piece, std::string& out);
  std::optional<write_error> finish_stream(std::string& out);

  // The content of the current request waits for 100 (Continue). No wait is for ever (RFC 9110
  // section 10.1.1): release_content() after a while of the caller's choice. A final response that
  // comes first abandons the request.
  bool holds_content() const { return state_.sending == sending_state::held; }
  void release_content() { state_.apply(client_event::content_released); }

  // The rest of the current request will not be written. Its response may still come; then the
  // connection ends, since the server can't tell where a next request begins.
  void abandon_request();

  // The next event in `input`, all octets that were received and not yet consumed.
  //
  //   need_more  receive more, or send a request; may have consumed framing
  //   head       `head` describes a response; its octets are the consumed ones, and its views point
  //              into them: keep them, with head.rebase() if they move. When head.is_interim(),
  //              another head follows. When switched(), nothing of HTTP does
  //   content    a view into the input
  //   end        the response is complete, with its trailer section; comes for every final response
  //              that did not switch protocols, with content or without
  //   refused    final; error() says why. The caller closes the connection
  //
  // `head` may be lent for one response, but must be the same object from the first octet of a head
  // to its event.
  event next(std::string_view input, response_head& head);

  // The server will send nothing more. Content without framing is then complete; anything else
  // inside a message makes next() refuse with incomplete_message, once it has consumed what there
  // is. A response of which nothing came: missing_response. Between exchanges the connection closes
  // without a word.
  void end_of_stream() { peer_ended_ = true; }

  // Refuses for a reason of the caller's own, such as head_timeout. Has no effect on a connection
  // already refused or closed.
  void refuse(protocol::error why);

  // Why the connection was refused, else error::none.
  protocol::error error() const { return error_; }

  // A request may be sent now.
  bool ready() const { return state_.sending == sending_state::ready && !pending_.full(); }
  // The request written last is complete, or was abandoned.
  bool request_done() const {
    return state_.sending != sending_state::held && state_.sending != sending_state::content;
  }
  // Requests without a final response head: when the connection ends, these may be sent again on
  // another if they are idempotent.
  std::size_t unanswered() const { return pending_.size(); }
  // Nothing is under way: the connection may be kept for later or closed without loss.
  bool idle() const { return request_done() && state_.receiving == receiving_state::none; }
  // Nothing more will be read or written: close.
  bool must_close() const {
    return state_.receiving == receiving_state::closed ||
           state_.receiving == receiving_state::refused;
  }
  // 101, or 2xx to CONNECT, was delivered: unconsumed input and all that follows belong to the
  // other protocol. For 101, head.upgrade() names it; whether it is one that was asked for is the
  // caller's to check (RFC 9110 section 7.8).
  bool switched() const { return state_.receiving == receiving_state::switched; }

 private:
  event read_head(std::string_view input, response_head& head);
  event read_content(std::string_view input);
  event take_interim(const event& found, const response_head& head);
  event take_final(const event& found, const response_head& head);
  event take_switch(const event& found);
  event at_end_of_input(const event& found);
  event end_response(const event& found);
  event fail(protocol::error why);
  std::optional<write_error> find_obstacle(const request& asked,
                                           const request_content& content) const;
  std::optional<write_error> find_content_obstacle() const;
  void begin_request(const request& asked, const request_content& content, std::string& out);
  void end_request();

  const limits* bounds_;
  std::uint64_t content_left_ = 0;  // of the request, still to be written
  response_parser parser_;
  content_reader content_;
  pending_requests pending_;
  pending_request current_;  // the request written last
  client_state state_;
  protocol::error error_ = protocol::error::none;
  std::uint8_t interim_responses_ = 0;
  bool chunked_ : 1 = false;  // the content of the request
  bool peer_ended_ : 1 = false;
  bool closing_ : 1 = false;  // the response now read is the last
};

}  // namespace bulkhead::protocol
