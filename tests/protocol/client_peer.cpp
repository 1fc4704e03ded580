#include "tests/protocol/client_peer.hpp"

namespace bulkhead::protocol::test {

namespace {

class listening_client {
 public:
  listening_client(const std::vector<request>& requests, const limits& bounds)
      : connection_(bounds), head_(bounds.fields_max) {
    std::string output;
    for (const request& asked : requests) {
      CHECK_FALSE(connection_.send(asked, output));
    }
  }

  void receive(std::string_view piece) {
    input_ += piece;
    while (take_event()) {
    }
  }

  void end_of_stream() {
    connection_.end_of_stream();
    receive({});
  }

  received result() const {
    return {text_,
            connection_.error(),
            connection_.must_close(),
            connection_.switched(),
            connection_.unanswered(),
            connection_.error() == error::none ? input_.size() : 0};
  }

 private:
  // False when nothing more can happen without more input.
  bool take_event() {
    // Exactly these octets, at a new address each time: a sanitizer sees what reads beyond or late.
    const std::vector<char> copy(input_.begin(), input_.end());
    const event found = connection_.next({copy.data(), copy.size()}, head_);
    CHECK(found.consumed <= input_.size());
    input_.erase(0, found.consumed);
    if (found.kind == event_kind::head) {
      const std::string status = std::to_string(head_.status());
      text_ += head_.is_interim() ? "(" + status + ")" : status + " ";
    }
    text_ += found.content;
    if (found.kind == event_kind::end) {
      text_ += "[" + describe(trailer_fields(found.trailers)) + "]";
    }
    return found.kind != event_kind::refused && found.kind != event_kind::need_more;
  }

  client_connection connection_;
  response_head head_;
  std::string input_;
  std::string text_;
};

}  // namespace

received receive(std::string_view input, const std::vector<request>& requests, bool ends,
                 const limits& bounds) {
  return same_for_every_split(input.size(), [&](const pieces& lengths) {
    listening_client client(requests, bounds);
    std::size_t begin = 0;
    for (const std::size_t length : lengths) {
      client.receive(input.substr(begin, length));
      begin += length;
    }
    if (ends) {
      client.end_of_stream();
    }
    return client.result();
  });
}

}  // namespace bulkhead::protocol::test
