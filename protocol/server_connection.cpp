#include "protocol/server_connection.hpp"

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

// Whether the Upgrade fields of a request name all of these protocols, RFC 9110 section 7.8.
bool offers(const request_head& head, std::string_view protocols) {
  const auto offered = [&head](std::string_view wanted) {
    for (const auto [name, value] : head.fields()) {
      std::string_view list = same_word(name, "upgrade") ? value : std::string_view{};
      while (!list.empty()) {
        if (same_word(take_member(list), wanted)) {
          return true;
        }
      }
    }
    return false;
  };
  while (!protocols.empty()) {
    if (!offered(take_member(protocols))) {
      return false;
    }
  }
  return true;
}

}  // namespace

event server_connection::next(std::string_view input, request_head& head) {
  switch (state_.request) {
    case request_state::idle:
    case request_state::head:
      return read_head(input, head);
    case request_state::content:
      return read_content(input);
    case request_state::refused:
      return refused(error_);
    case request_state::done:
    case request_state::closed:
      break;
  }
  return {};
}

event server_connection::read_head(std::string_view input, request_head& head) {
  if (input.empty()) {
    return at_end_of_input({});
  }
  state_.apply(transition::head_begun);
  const event found = parser_.next(input, *bounds_, head);
  request_method_ = head.known_method();
  if (found.kind == event_kind::refused) {
    return fail(found.why);
  }
  if (found.kind == event_kind::need_more) {
    return at_end_of_input(found);
  }
  state_.apply(transition::head_read);
  parser_.reset();
  content_ = content_reader(head.chunked() ? framing::chunked : framing::length,
                            head.content_length().value_or(0));
  closing_ = closing_ || !head.keep_alive();
  awaits_continue_ = head.expects_continue();
  answered_ = false;
  return found;
}

event server_connection::read_content(std::string_view input) {
  const event found = content_.next(input, *bounds_);
  if (found.kind == event_kind::refused) {
    return fail(found.why);
  }
  if (found.consumed > 0) {
    awaits_continue_ = false;
  }
  if (found.kind == event_kind::need_more) {
    return at_end_of_input(found);
  }
  if (found.kind == event_kind::end) {
    state_.apply(transition::request_ended);
    settle();
  }
  return found;
}

// More input is needed: if none will come, the request is incomplete, or there was none.
event server_connection::at_end_of_input(event found) {
  if (!peer_ended_) {
    return found;
  }
  if (state_.request != request_state::idle) {
    return fail(protocol::error::incomplete_message);
  }
  state_.apply(transition::close);
  return found;
}

event server_connection::fail(protocol::error why) {
  refuse(why);
  return refused(error_);
}

void server_connection::refuse(protocol::error why) {
  if (error_ == protocol::error::none && state_.apply(transition::refuse)) {
    error_ = why;
  }
}

void server_connection::write_refusal(std::string_view date, std::string& out) {
  if (state_.apply(transition::refusal_written)) {
    protocol::write_refusal(error_, request_method_, date, out);
  }
}

bool server_connection::write_continue(std::string& out) {
  if (!awaits_continue_ || state_.response != response_state::owed) {
    return false;
  }
  awaits_continue_ = false;
  protocol::write_continue(out);
  return true;
}

std::optional<write_error> server_connection::respond(const request_head& head,
                                                      const response& answer, std::string_view date,
                                                      std::string& out) {
  const auto fault = respond_head(head, answer, date, out);
  if (!fault && content_follows(head.known_method(), answer.status())) {
    out.append(answer.content());
  }
  return fault;
}

std::optional<write_error> server_connection::respond_head(const request_head& head,
                                                           const response& answer,
                                                           std::string_view date,
                                                           std::string& out) {
  if (const auto obstacle = find_obstacle(head, answer)) {
    return obstacle;
  }
  write_head(answer, context_of(head, answer.closes(), date), out);
  if (answer.status() == 101) {
    state_.apply(transition::switch_protocol);
    return std::nullopt;
  }
  end_response();
  return std::nullopt;
}

std::optional<write_error> server_connection::respond(const request_head& head,
                                                      const prepared_response& answer,
                                                      std::string_view date, std::string& out) {
  if (state_.response != response_state::owed) {
    return why_none_owed();
  }
  if (const auto fault = answer.find_fault(head.known_method())) {
    return fault;
  }
  answer.write(context_of(head, answer.closes(), date), out);
  end_response();
  return std::nullopt;
}

std::optional<write_error> server_connection::begin_stream(const request_head& head,
                                                           const response& answer,
                                                           std::string_view date,
                                                           std::string& out) {
  if (const auto obstacle = find_obstacle(head, answer)) {
    return obstacle;
  }
  if (answer.status() == 101) {  // the stream that follows it is the other protocol's
    return write_error::content_not_allowed;
  }
  const bool in_http10 = head.minor_version() == 0;
  closing_ = closing_ || in_http10;
  head_context context = context_of(head, answer.closes(), date);
  context.content_framing = in_http10 ? framing::until_close : framing::chunked;
  write_head(answer, context, out);
  stream_framing_ = content_follows(head.known_method(), answer.status()) ? context.content_framing
                                                                          : framing::length;
  state_.apply(transition::response_begun);
  return write_stream(answer.content(), out);
}

std::optional<write_error> server_connection::write_stream(std::string_view piece,
                                                           std::string& out) {
  if (state_.response != response_state::streaming) {
    return state_.response == response_state::closed ? write_error::connection_closed
                                                     : write_error::not_streaming;
  }
  if (piece.empty() || stream_framing_ == framing::length) {
    return std::nullopt;
  }
  if (stream_framing_ == framing::until_close) {
    out.append(piece);
    return std::nullopt;
  }
  write_chunk_head(piece.size(), out);
  out.append(piece);
  write_chunk_tail(out);
  return std::nullopt;
}

std::optional<write_error> server_connection::finish_stream(std::string& out) {
  if (const auto fault = write_stream({}, out)) {
    return fault;
  }
  if (stream_framing_ == framing::chunked) {
    write_last_chunk(out);
  }
  end_response();
  return std::nullopt;
}

std::optional<write_error> server_connection::find_obstacle(const request_head& head,
                                                            const response& answer) const {
  if (state_.response != response_state::owed) {
    return why_none_owed();
  }
  if (answer.status() == 101) {
    if (head.upgrade().empty()) {
      return write_error::upgrade_not_requested;
    }
    if (!offers(head, answer.find("upgrade"))) {
      return write_error::upgrade_not_offered;
    }
    if (!state_.may(transition::switch_protocol)) {
      return write_error::request_not_read;
    }
  }
  return find_fault(answer, head.known_method());
}

std::optional<write_error> server_connection::why_none_owed() const {
  switch (state_.response) {
    case response_state::streaming:
    case response_state::done:
      return write_error::response_already_sent;
    case response_state::none:
      break;
    default:
      return error_ == protocol::error::none && answered_ ? write_error::response_already_sent
                                                          : write_error::connection_closed;
  }
  return answered_ ? write_error::response_already_sent : write_error::no_request;
}

// A client that still holds its content back may send it or not once it has its answer: what comes
// next could be either, so the connection ends (RFC 9110 section 10.1.1).
head_context server_connection::context_of(const request_head& head, bool closes,
                                           std::string_view date) {
  closing_ = closing_ || closes || awaits_continue_;
  return {head.known_method(), head.minor_version(), closing_, framing::length, date};
}

void server_connection::end_response() {
  state_.apply(transition::response_ended);
  answered_ = true;
  settle();
}

// After the end of either half: on to the next exchange when both are done, or the end.
void server_connection::settle() {
  if (state_.response != response_state::done) {
    return;
  }
  if (closing_) {
    state_.apply(transition::close);
  } else {
    state_.apply(transition::next_exchange);
    request_method_ =
        method::unknown;  // a refusal before the next request is no answer to this one
  }
}

}  // namespace bulkhead::protocol
