#include "protocol/client_connection.hpp"

#include "protocol/chunked_writer.hpp"

namespace bulkhead::protocol {

namespace {

// RFC 9112 section 6.3 items 1 and 2. The rest of item 2 is a tunnel, which is no response's
// content.
bool may_have_content(const response_head& head, method request_method) {
  return request_method != method::head && head.status() != 204 && head.status() != 304;
}

framing framing_of(const response_head& head) {
  return head.chunked()          ? framing::chunked
         : head.content_length() ? framing::length
                                 : framing::until_close;
}

}  // namespace

// --- sending

std::optional<write_error> client_connection::send(const request& asked, std::string& out) {
  const request_content content{framing::length, asked.content().size()};
  if (const auto obstacle = find_obstacle(asked, content)) {
    return obstacle;
  }
  begin_request(asked, content, out);
  if (holds_content()) {
    return std::nullopt;
  }
  out.append(asked.content());
  end_request();
  return std::nullopt;
}

std::optional<write_error> client_connection::begin_stream(const request& asked,
                                                           std::optional<std::uint64_t> length,
                                                           std::string& out) {
  const request_content content{length ? framing::length : framing::chunked, length.value_or(0)};
  if (const auto obstacle = find_obstacle(asked, content)) {
    return obstacle;
  }
  begin_request(asked, content, out);
  return std::nullopt;
}

std::optional<write_error> client_connection::write_stream(std::string_view piece,
                                                           std::string& out) {
  if (const auto obstacle = find_content_obstacle()) {
    return obstacle;
  }
  if (chunked_) {
    write_chunk(piece, out);
    return std::nullopt;
  }
  if (piece.size() > content_left_) {
    return write_error::wrong_length;
  }
  content_left_ -= piece.size();
  out.append(piece);
  return std::nullopt;
}

std::optional<write_error> client_connection::finish_stream(std::string& out) {
  if (const auto obstacle = find_content_obstacle()) {
    return obstacle;
  }
  if (content_left_ > 0) {
    return write_error::wrong_length;
  }
  if (chunked_) {
    write_last_chunk(out);
  }
  end_request();
  return std::nullopt;
}

void client_connection::abandon_request() {
  if (state_.apply(client_event::request_abandoned) && state_.receiving == receiving_state::none) {
    state_.apply(client_event::close);
  }
}

std::optional<write_error> client_connection::find_obstacle(const request& asked,
                                                            const request_content& content) const {
  switch (state_.sending) {
    case sending_state::held:
    case sending_state::content:
      return write_error::request_unfinished;
    case sending_state::barred:
      return write_error::switch_pending;
    case sending_state::closed:
      return write_error::connection_closed;
    case sending_state::ready:
      break;
  }
  return pending_.full() ? write_error::too_many_requests : find_fault(asked, content);
}

std::optional<write_error> client_connection::find_content_obstacle() const {
  switch (state_.sending) {
    case sending_state::content:
      return std::nullopt;
    case sending_state::held:
      return write_error::content_held;
    case sending_state::closed:
      return write_error::connection_closed;
    default:
      return write_error::not_streaming;
  }
}

void client_connection::begin_request(const request& asked, const request_content& content,
                                      std::string& out) {
  const bool held = asked.expects_continue() && !content.empty();
  write_head(asked, content, out);
  chunked_ = content.chosen == framing::chunked;
  content_left_ = content.length;
  current_ = {asked.known_method(), asked.asks_upgrade(), asked.closes()};
  pending_.push(current_);
  state_.apply(held ? client_event::request_held : client_event::request_begun);
}

// A request that has its response already asks for nothing more.
void client_connection::end_request() {
  const bool asks = current_.may_switch() && !pending_.empty();
  state_.apply(asks ? client_event::switch_requested : client_event::request_ended);
  if (current_.is_last) {
    state_.apply(client_event::last_request);
  }
}

// --- receiving

event client_connection::next(std::string_view input, response_head& head) {
  switch (state_.receiving) {
    case receiving_state::awaited:
    case receiving_state::head:
      return read_head(input, head);
    case receiving_state::content:
      return read_content(input);
    case receiving_state::none:
      return input.empty() ? at_end_of_input({}) : fail(error::unexpected_response);
    case receiving_state::refused:
      return refused(error_);
    case receiving_state::closed:
    case receiving_state::switched:
      break;
  }
  return {};
}

event client_connection::read_head(std::string_view input, response_head& head) {
  if (input.empty()) {
    return at_end_of_input({});
  }
  state_.apply(client_event::head_begun);
  const event found = parser_.next(input, *bounds_, head);
  if (found.kind == event_kind::refused) {
    return fail(found.why);
  }
  if (found.kind == event_kind::need_more) {
    return at_end_of_input(found);
  }
  parser_.reset();
  return head.is_interim() ? take_interim(found, head) : take_final(found, head);
}

// 100 releases the content of the request that it answers, and no other that is held behind it.
event client_connection::take_interim(const event& found, const response_head& head) {
  if (interim_responses_ == bounds_->interim_responses_max) {
    return fail(error::too_many_interim_responses);
  }
  ++interim_responses_;
  state_.apply(client_event::interim_read);
  if (head.status() == 100 && pending_.size() == 1) {
    state_.apply(client_event::content_released);
  }
  return found;
}

event client_connection::take_final(const event& found, const response_head& head) {
  const pending_request answered = pending_.front();
  const bool tunnels = answered.method == method::connect && head.status() / 100 == 2;
  if (head.status() == 101 || tunnels) {
    return tunnels || answered.asks_upgrade ? take_switch(found) : fail(error::unexpected_switch);
  }
  const bool any = may_have_content(head, answered.method);
  const framing chosen = any ? framing_of(head) : framing::length;
  const std::uint64_t length = any ? head.content_length().value_or(0) : 0;
  if (any && head.framing_fault() != error::none) {
    return fail(head.framing_fault());
  }
  if (length > bounds_->content_bytes_max) {
    return fail(error::content_too_large);
  }
  content_ = content_reader(chosen, length);
  closing_ = answered.is_last || !head.keep_alive() || chosen == framing::until_close;
  interim_responses_ = 0;
  pending_.pop();
  state_.apply(client_event::head_read);
  if (holds_content() && pending_.empty()) {
    state_.apply(client_event::request_abandoned);
  }
  return found;
}

event client_connection::take_switch(const event& found) {
  if (!state_.apply(client_event::switch_protocol)) {
    return fail(error::unexpected_switch);
  }
  pending_.pop();
  return found;
}

event client_connection::read_content(std::string_view input) {
  const event found = content_.next(input, *bounds_);
  switch (found.kind) {
    case event_kind::refused:
      return fail(found.why);
    case event_kind::end:
      return end_response(found);
    case event_kind::need_more:
      return at_end_of_input(found);
    default:
      return found;
  }
}

// More input is needed: if none will come, that is the end of something.
event client_connection::at_end_of_input(const event& found) {
  if (!peer_ended_) {
    return found;
  }
  switch (state_.receiving) {
    case receiving_state::none:
      state_.apply(client_event::close);
      return found;
    case receiving_state::awaited:
      return fail(interim_responses_ == 0 ? error::missing_response : error::incomplete_message);
    case receiving_state::content:
      if (content_.until_close()) {
        return end_response({event_kind::end});
      }
      [[fallthrough]];
    default:
      return fail(error::incomplete_message);
  }
}

// On to the next response, or to the next request, or to the end.
event client_connection::end_response(const event& found) {
  state_.apply(client_event::response_ended);
  if (!closing_ && !pending_.empty()) {
    state_.apply(client_event::response_awaited);
  } else if (closing_ || !state_.apply(client_event::all_answered)) {
    state_.apply(client_event::close);
  }
  return found;
}

event client_connection::fail(protocol::error why) {
  refuse(why);
  return refused(error_);
}

void client_connection::refuse(protocol::error why) {
  if (error_ == protocol::error::none && state_.apply(client_event::refuse)) {
    error_ = why;
  }
}

}  // namespace bulkhead::protocol
