#include "actors/client_exchange.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "protocol/error.hpp"
#include "protocol/trailer_section.hpp"

namespace bulkhead::actors {

namespace {

// Content goes out in pieces of so much, each when the one before is on its way.
constexpr std::size_t piece_bytes_max = 64 * 1024;

client_field copy_of(const protocol::field& one) {
  return {std::string(one.name), std::string(one.value)};
}

}  // namespace

std::optional<client_answer> client_exchange::run(time_point until, time_point continue_until) {
  until_ = until;
  continue_until_ = continue_until;
  begin();
  for (;;) {
    read_events();
    if (has_ended_) return std::move(answer_);
    if (link_.wire.ended() != client_wire::end::none) {
      if (!end_input()) return std::nullopt;
      continue;
    }
    feed();
    wait();
  }
}

bool client_exchange::keeps_connection() const {
  return link_.connection.idle() && link_.connection.ready() && link_.in.empty() &&
         link_.out.empty() && link_.wire.ended() == client_wire::end::none &&
         !link_.wire.refuses_output();
}

// --- sending

void client_exchange::begin() {
  auto length = streams_.length;
  has_all_content_ = !streams_.source;
  if (has_all_content_) {
    unsent_ = asked_.content();
    length = unsent_.size();
  }
  require(link_.connection.begin_stream(asked_, length, link_.out));
}

void client_exchange::feed() {
  if (link_.wire.refuses_output()) return stop_sending();
  auto& connection = link_.connection;
  while (link_.out.size() < piece_bytes_max && !connection.request_done() &&
         !connection.holds_content()) {
    if (unsent_.empty() && !has_all_content_) ask_source();
    const auto slice = unsent_.substr(0, piece_bytes_max);
    require(connection.write_stream(slice, link_.out));
    unsent_.remove_prefix(slice.size());
    if (unsent_.empty() && has_all_content_) require(connection.finish_stream(link_.out));
  }
}

void client_exchange::ask_source() {
  if (std::chrono::steady_clock::now() >= until_)
    fail(client_failure::deadline, "no answer in time");
  asked_source_ = true;
  piece_.clear();
  has_all_content_ = !streams_.source(piece_);
  unsent_ = piece_;
}

void client_exchange::stop_sending() {
  if (!link_.connection.request_done()) link_.connection.abandon_request();
  link_.out.clear();
}

// --- receiving

void client_exchange::read_events() {
  auto& link = link_;
  std::size_t at = 0;
  for (bool more = !has_ended_; more && !has_ended_;) {
    const auto found = link.connection.next(std::string_view(link.in).substr(at), link.head);
    at += found.consumed;
    switch (found.kind) {
      case protocol::event_kind::head:
        take_head();
        break;
      case protocol::event_kind::content:
        if (streams_.sink)
          streams_.sink(answer_, found.content);
        else
          answer_.content.append(found.content);
        break;
      case protocol::event_kind::end:
        take_end(found.trailers);
        break;
      case protocol::event_kind::refused:
        fail(found.why == protocol::error::incomplete_message ? client_failure::closed
                                                              : client_failure::bad_response,
             protocol::text_of(found.why));
      case protocol::event_kind::need_more:
        more = false;
        break;
    }
  }
  link.in.erase(0, at);
}

void client_exchange::take_head() {
  if (link_.head.is_interim()) return;
  answer_.status = link_.head.status();
  for (const auto field : link_.head.fields()) answer_.fields.push_back(copy_of(field));
  // RFC 9112 section 9.3: who is refused need not go on.
  constexpr int first_refusing_status = 300;
  if (answer_.status >= first_refusing_status && !link_.connection.request_done()) stop_sending();
}

void client_exchange::take_end(std::string_view trailers) {
  for (const auto& field : protocol::trailer_fields(trailers))
    answer_.trailers.push_back(copy_of(field));
  has_ended_ = true;
}

// False: the server has not begun to answer.
bool client_exchange::end_input() {
  if (!has_octets_) return false;
  if (link_.wire.ended() == client_wire::end::cut)
    fail(client_failure::closed, "the connection was cut in the middle of the answer");
  link_.connection.end_of_stream();
  return true;
}

void client_exchange::wait() {
  auto& connection = link_.connection;
  const bool holds = connection.holds_content();
  const auto before = link_.in.size();
  if (link_.wire.move(link_.out, link_.in, holds ? std::min(continue_until_, until_) : until_)) {
    has_octets_ = has_octets_ || link_.in.size() > before;
  } else if (holds && continue_until_ < until_) {
    connection.release_content();
  } else {
    fail(client_failure::deadline, "no answer in time");
  }
}

// What is wrong with a request is its maker's mistake.
void client_exchange::require(std::optional<protocol::write_error> fault) const {
  if (fault) throw std::invalid_argument(to_.text + ": " + std::string(text_of(*fault)));
}

void client_exchange::fail(client_failure why, std::string_view reason) const {
  throw client_error(why, to_.text, reason);
}

}  // namespace bulkhead::actors
