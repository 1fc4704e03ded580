// The server's side of one HTTP/1.1 connection: octets in, events out; responses in, octets out.
//
// RFC 9112. No I/O, no clock, no threads, no allocation besides growth of the caller's output
// strings. Small, since a server keeps one for every idle connection. Requests are answered one at
// a time and in order: while a response is owed, the next request stays in the caller's input.
//
// Upgrades (RFC 9110 section 7.8): head.upgrade() says what a client would like to speak instead.
// Any other answer than 101 declines, and HTTP goes on; nothing has to be done for that. To accept,
// respond() behind the event end with status 101, an Upgrade field that names one of the protocols
// on offer, and whatever fields that protocol wants; Connection is added. Then switched() holds,
// next() interprets nothing more, and the input that it left unconsumed is the beginning of the
// other protocol's: hand over those octets, then whatever is received, and use this object no more.
// What was appended to the output goes out first.
//
// One thread at a time may call; a connection knows nothing of others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/content_reader.hpp"
#include "protocol/event.hpp"
#include "protocol/limits.hpp"
#include "protocol/method.hpp"
#include "protocol/prepared_response.hpp"
#include "protocol/request_head.hpp"
#include "protocol/request_parser.hpp"
#include "protocol/response.hpp"
#include "protocol/response_writer.hpp"
#include "protocol/state.hpp"

namespace bulkhead::protocol {

class server_connection {
 public:
  // Borrows the limits, which must outlive the connection and satisfy check().
  explicit server_connection(const limits& bounds) : bounds_(&bounds) {}

  // The next event in `input`, all octets that were received and not yet consumed.
  //
  //   need_more  receive more, or answer what is owed; may have consumed framing
  //   head       `head` describes the request; its octets are the consumed ones, and its views
  //   point
  //              into them: keep them, with head.rebase() if they move
  //   content    a view into the input
  //   end        the request is complete; comes for every request, with content or without.
  //              `trailers` of the event is its trailer section: read it with trailer_fields before
  //              the input moves, and merge none of it into the head (RFC 9110 section 6.5.1)
  //   refused    final; error() says why and write_refusal() answers
  //
  // `head` may be lent for one request, but must be the same object from the first octet of a head
  // to its event. Content that nobody read before the response still comes, to be discarded.
  event next(std::string_view input, request_head& head);

  // Why the connection was refused, else error::none.
  protocol::error error() const { return error_; }

  // The peer will send nothing more. Inside a message next() then refuses with incomplete_message,
  // once it has consumed what there is; between messages the connection closes without a word.
  void end_of_stream() { peer_ended_ = true; }

  // Appends 100 (Continue) when the client waits for it: it asked, none of the content has come and
  // no response has begun. To be called when a handler wants the content. False: nothing appended.
  bool write_continue(std::string& out);

  // Append the response to the current request: head and content, or only the head for a caller
  // that sends the content itself, if content_follows(). What lies in a file is always the caller's
  // to send. `date` is an IMF-fixdate. On an error
  // nothing was appended and the response is still owed.
  std::optional<write_error> respond(const request_head& head, const response& answer,
                                     std::string_view date, std::string& out);
  std::optional<write_error> respond_head(const request_head& head, const response& answer,
                                          std::string_view date, std::string& out);

  // The same for a response that never changes, whose octets were made before. A date that is no
  // IMF-fixdate is left out.
  std::optional<write_error> respond(const request_head& head, const prepared_response& answer,
                                     std::string_view date, std::string& out);

  // A response whose length is not known when it begins: chunked, or delimited by the end of the
  // connection for HTTP/1.0. Content of `answer` is its first piece. Empty pieces write nothing. A
  // stream that can't be finished is abandoned with refuse(): no last chunk, so the client sees it.
  std::optional<write_error> begin_stream(const request_head& head, const response& answer,
                                          std::string_view date, std::string& out);
  std::optional<write_error> write_stream(std::string_view piece, std::string& out);
  std::optional<write_error> finish_stream(std::string& out);

  // Refuses for a reason of the session's own. Has no effect on a connection already refused.
  void refuse(protocol::error why);

  // Appends the answer to a refused request, once; nothing when a response was begun before.
  void write_refusal(std::string_view date, std::string& out);

  // The response now owed, or the next one, says Connection: close and is the last.
  void close_after_response() { closing_ = true; }

  // The request is complete, or there is none.
  bool request_done() const {
    return state_.request != request_state::head && state_.request != request_state::content;
  }
  // A head was delivered and its response has not ended; or a refusal is to be written.
  bool response_owed() const {
    return state_.response == response_state::owed ||
           state_.response == response_state::streaming ||
           state_.response == response_state::refusing;
  }
  // Octets of the response to the current request have been written.
  bool response_started() const {
    return state_.response == response_state::streaming || state_.response == response_state::done;
  }
  // Between requests with nothing read: the connection may be closed without loss.
  bool idle() const { return state_.request == request_state::idle; }
  // Nothing more will be read or written: flush, then close.
  bool must_close() const { return state_.response == response_state::closed; }
  // 101 was written: unconsumed input and all that follows belong to the other protocol.
  bool switched() const { return state_.response == response_state::switched; }

 private:
  event read_head(std::string_view input, request_head& head);
  event read_content(std::string_view input);
  event at_end_of_input(event found);
  event fail(protocol::error why);
  std::optional<write_error> find_obstacle(const request_head& head, const response& answer) const;
  std::optional<write_error> why_none_owed() const;
  head_context context_of(const request_head& head, bool closes, std::string_view date);
  void end_response();
  void settle();

  const limits* bounds_;
  request_parser parser_;
  content_reader content_;
  exchange_state state_;
  protocol::error error_ = protocol::error::none;
  method request_method_ = method::unknown;
  framing stream_framing_ = framing::length;
  bool peer_ended_ : 1 = false;
  bool closing_ : 1 = false;          // this exchange is the last
  bool answered_ : 1 = false;         // the request read last has had its response
  bool awaits_continue_ : 1 = false;  // the client holds its content back
};

}  // namespace bulkhead::protocol
