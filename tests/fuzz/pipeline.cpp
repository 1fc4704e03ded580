// Whole connections: pipelined requests, made of the input by a grammar so that most are in order,
// and an octet or two changed at the end. The dialogue is the same for every splitting and every
// instruction set, and requests in order are all answered.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <optional>
#include <string>

#include "protocol/scan/instruction_set.hpp"
#include "protocol/server_connection.hpp"
#include "tests/fuzz/pieces.hpp"

namespace {

using namespace bulkhead;
using namespace bulkhead::protocol;

struct script {
  std::string octets;
  int requests = 0;  // that are in order
  bool sound = true;
};

class author {
 public:
  author(const std::uint8_t* data, std::size_t size) : source_(data, size) {}

  script write() {
    script result;
    while (source_.remaining_bytes() > 8 && result.requests < 8) {
      result.octets += write_request();
      ++result.requests;
    }
    for (int changes = source_.ConsumeIntegralInRange(0, 3); changes > 0; --changes) {
      change(result);
    }
    return result;
  }

 private:
  std::string pick(std::initializer_list<const char*> options) {
    return options.begin()[source_.ConsumeIntegralInRange<std::size_t>(0, options.size() - 1)];
  }

  std::string write_request() {
    std::string head = pick({"GET", "POST", "HEAD", "PUT", "OPTIONS", "X-ANY"});
    head += pick({" / ", " /a%20b ", " /a/b?c=d&e ", " http://b.example:81/x ", " http://c?d "});
    head += "HTTP/1.1\r\nHost: a.example\r\n";
    for (int fields = source_.ConsumeIntegralInRange(0, 4); fields > 0; --fields) {
      head += pick({"Accept: */*\r\n", "X-Empty:\r\n", "X-Blanks: \t v \t\r\n", "x-low:v\r\n",
                    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\n",
                    "Connection: keep-alive\r\n", "Expect: 100-continue\r\n",
                    "X-Latin: \xe9\xff\r\n", "Cookie: a=b; c=d\r\n"});
    }
    const std::string content =
        source_.ConsumeBytesAsString(source_.ConsumeIntegralInRange<std::size_t>(0, 70));
    switch (source_.ConsumeIntegralInRange(0, 2)) {
      case 0:
        return head + "\r\n";
      case 1:
        return head + "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
      default:
        return head + "Transfer-Encoding: chunked\r\n\r\n" + in_chunks(content);
    }
  }

  std::string in_chunks(std::string_view content) {
    std::string octets;
    while (!content.empty()) {
      const auto size = source_.ConsumeIntegralInRange<std::size_t>(1, content.size());
      char line[32];
      std::snprintf(line, sizeof(line), "%zx", size);
      octets += line + pick({"\r\n", ";a\r\n", ";a=\"b;\"\r\n"});
      octets += std::string(content.substr(0, size)) + "\r\n";
      content.remove_prefix(size);
    }
    return octets + pick({"0\r\n\r\n", "0\r\nX-Sum: 1\r\n\r\n", "00;last\r\n\r\n"});
  }

  void change(script& made) {
    if (made.octets.empty()) {
      return;
    }
    const auto at = source_.ConsumeIntegralInRange<std::size_t>(0, made.octets.size() - 1);
    made.octets[at] = source_.ConsumeIntegral<char>();
    made.sound = false;
  }

  FuzzedDataProvider source_;
};

struct dialogue {
  std::string output;
  error why = error::none;
  std::size_t unconsumed = 0;
  int answers = 0;

  bool operator==(const dialogue&) const = default;
};

// A server that sends every request's content back, and drops what it has consumed.
class server {
 public:
  void receive(std::string_view piece) {
    input_ += piece;
    while (take_event()) {
    }
  }
  // After an error, how much of the framing before it was consumed depends on the splitting.
  dialogue result() const {
    const bool refused = connection_.error() != error::none;
    return {output_, connection_.error(), refused ? 0 : input_.size(), answers_};
  }

 private:
  bool take_event() {
    const fuzz::fresh_copy copy(input_);
    const event found = connection_.next(copy.view(), head_);
    fuzz::require(found.consumed <= input_.size(), "consumed more than there is");
    fuzz::require(fuzz::is_inside(found.content, copy.view()), "content leaves the input");
    if (found.kind == event_kind::head) {
      head_octets_.assign(input_, 0, found.consumed);
      head_.rebase(head_octets_.data());
      content_.clear();
    }
    content_ += found.content;
    input_.erase(0, found.consumed);
    if (found.kind == event_kind::end) {
      answer();
    }
    if (found.kind == event_kind::refused) {
      connection_.write_refusal(date, output_);
      const event again = connection_.next(input_, head_);
      fuzz::require(again.kind == event_kind::refused && again.why == found.why,
                    "another verdict after an error");
    }
    return found.kind == event_kind::head || found.kind == event_kind::content ||
           found.kind == event_kind::end;
  }

  void answer() {
    response answer = response::bytes(content_);
    std::string target(head_.target());
    answer.set("X-Target", target);
    fuzz::require(!connection_.respond(head_, answer, date, output_), "the answer was not taken");
    ++answers_;
  }

  static constexpr std::string_view date = "Sun, 06 Nov 1994 08:49:37 GMT";
  static inline const limits bounds_;
  server_connection connection_{bounds_};
  request_head head_{bounds_.fields_max};
  std::string input_;
  std::string head_octets_;
  std::string content_;
  std::string output_;
  int answers_ = 0;
};

dialogue converse(const script& made, bool in_pieces) {
  server peer;
  fuzz::cutter cuts(made.octets);
  std::string_view left = made.octets;
  while (!left.empty()) {
    const std::size_t size = in_pieces ? std::min(cuts.next(), left.size()) : left.size();
    peer.receive(left.substr(0, size));
    left.remove_prefix(size);
  }
  return peer.result();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const script made = author(data, size).write();
  std::optional<dialogue> wanted;
  for (const instruction_set set : instruction_sets) {
    if (!is_available(set)) {
      continue;
    }
    choose_instruction_set(set);
    for (const bool in_pieces : {false, true}) {
      const dialogue found = converse(made, in_pieces);
      fuzz::require(!wanted || *wanted == found, "a splitting changes the dialogue");
      wanted = found;
    }
  }
  if (made.sound) {
    fuzz::require(wanted->why == error::none && wanted->answers == made.requests,
                  "a request in order was not answered");
  }
  return 0;
}
