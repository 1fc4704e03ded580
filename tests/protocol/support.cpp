#include "tests/protocol/support.hpp"

#include <sstream>

namespace bulkhead::protocol::test {

namespace {

// A copy of exactly these octets on the heap, so that a sanitizer sees any read past them, at a new
// address each time, so that a view into an old copy shows.
std::vector<char> fresh_copy(std::string_view text) {
  return {text.begin(), text.end()};
}

std::string_view view_of(const std::vector<char>& copy) {
  return {copy.data(), copy.size()};
}

head_outcome parse_in(const pieces& lengths, std::string_view input, const limits& bounds) {
  request_parser parser;
  request_head head(bounds.fields_max);
  std::size_t there = 0;
  for (const std::size_t length : lengths) {
    there += length;
    const auto copy = fresh_copy(input.substr(0, there));
    const event found = parser.next(view_of(copy), bounds, head);
    if (found.kind == event_kind::head) {
      return {found.kind, found.why, describe(head)};
    }
    if (found.kind == event_kind::refused) {
      return {found.kind, found.why, {}};
    }
  }
  return {};
}

chunked_outcome decode_in(const pieces& lengths, std::string_view input, const limits& bounds) {
  chunked_decoder decoder;
  chunked_outcome outcome;
  std::size_t there = 0;
  for (const std::size_t length : lengths) {
    there += length;
    for (bool stuck = false; !stuck && outcome.consumed < there;) {
      const auto copy = fresh_copy(input.substr(outcome.consumed, there - outcome.consumed));
      const event found = decoder.next(view_of(copy), bounds);
      if (found.kind == event_kind::refused) {
        return {found.kind, found.why, 0, {}, {}};
      }
      outcome.content += found.content;
      outcome.consumed += found.consumed;
      stuck = found.consumed == 0;
      if (found.kind == event_kind::end) {
        outcome.kind = event_kind::end;
        outcome.trailers = describe(trailer_fields(found.trailers));
        return outcome;
      }
    }
  }
  return outcome;
}

// A server that answers at the end of each request.
class echo_server {
 public:
  echo_server(const answerer& answer, const limits& bounds)
      : connection_(bounds), head_(bounds.fields_max), answer_(answer) {}

  void receive(std::string_view piece) {
    input_ += piece;
    while (take_event()) {
    }
  }

  dialogue result() const {
    return {output_, connection_.error(), connection_.must_close(), input_.size()};
  }

 private:
  // False when nothing more can happen without more input.
  bool take_event() {
    const auto copy = fresh_copy(input_);
    const event found = connection_.next(view_of(copy), head_);
    if (found.kind == event_kind::head) {
      head_octets_.assign(input_, 0, found.consumed);
      head_.rebase(head_octets_.data());
      content_.clear();
    }
    content_ += found.content;
    input_.erase(0, found.consumed);
    if (found.kind == event_kind::end) {
      CHECK(!connection_.respond(head_, answer_(head_, content_), date, output_));
    }
    if (found.kind == event_kind::refused) {
      connection_.write_refusal(date, output_);
    }
    return found.kind != event_kind::refused && found.kind != event_kind::need_more;
  }

  server_connection connection_;
  request_head head_;
  const answerer& answer_;
  std::string input_;
  std::string head_octets_;
  std::string content_;
  std::string output_;
};

}  // namespace

std::string describe(const trailer_fields& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    text += std::string(name) + '=' + std::string(value) + '|';
  }
  return text;
}

std::string describe(const request_head& head) {
  std::ostringstream text;
  text << head.method() << '(' << name_of(head.known_method()) << ") " << head.target() << " form "
       << static_cast<int>(head.form()) << " path " << head.path() << " query "
       << (head.has_query() ? "?" : "none") << head.query() << " authority " << head.authority()
       << " 1." << head.minor_version() << " size " << head.size_bytes();
  for (const auto [name, value] : head.fields()) {
    text << '\n' << name << '=' << value << '|';
  }
  text << "\nlength " << (head.content_length() ? std::to_string(*head.content_length()) : "none")
       << " chunked " << head.chunked() << " content " << head.has_content() << " keep "
       << head.keep_alive() << " continue " << head.expects_continue() << " upgrade "
       << head.upgrade();
  return text.str();
}

head_outcome parse_head(std::string_view input, const limits& bounds) {
  return same_for_every_split(
      input.size(), [&](const pieces& lengths) { return parse_in(lengths, input, bounds); });
}

sample_head::sample_head(std::string text) : text_(std::move(text)), head_(limits{}.fields_max) {
  const limits bounds;
  REQUIRE(request_parser{}.next(text_, bounds, head_).kind == event_kind::head);
}

chunked_outcome decode_chunked(std::string_view input, const limits& bounds) {
  return same_for_every_split(
      input.size(), [&](const pieces& lengths) { return decode_in(lengths, input, bounds); });
}

response echo(const request_head&, const std::string& content) {
  return response::bytes(content);
}

dialogue converse(std::string_view input, const answerer& answer, const limits& bounds) {
  return same_for_every_split(input.size(), [&](const pieces& lengths) {
    echo_server server(answer, bounds);
    std::size_t begin = 0;
    for (const std::size_t length : lengths) {
      server.receive(input.substr(begin, length));
      begin += length;
    }
    return server.result();
  });
}

}  // namespace bulkhead::protocol::test
