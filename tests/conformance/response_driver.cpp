// The client role behind the protocol of check_responses.py: a JSON object a line in, one a line
// out.
//
// In:  {"id", "request": {"method", "upgrade"?}, "bytes_b64", "eof", "split": "whole" | "byte"}
// Out: what the response was, or {"error": class}, or {"incomplete": true}
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/client_connection.hpp"
#include "protocol/trailer_section.hpp"
#include "tests/conformance/base64.hpp"
#include "tests/conformance/flat_json.hpp"

namespace {

using namespace bulkhead::conformance;
using namespace bulkhead::protocol;

const limits bounds;

// A refusal as one of the classes of the cases. What is wrong with a line has one name for every
// place, so the place is asked for.
std::string_view class_of(error why, bool in_content) {
  using enum error;
  switch (why) {
    case bad_status_line:
      return "status-line";
    case unsupported_version:
      return "version";
    case bad_content_length:
    case repeated_content_length:
    case bad_transfer_encoding:
    case unsupported_transfer_coding:
    case transfer_encoding_in_http10:
    case both_framings:
      return "framing";
    case field_name_too_long:
    case too_many_fields:
    case head_too_large:
    case content_too_large:
    case chunk_extensions_too_large:
    case too_many_trailer_fields:
    case trailer_too_large:
    case too_many_interim_responses:
      return "limit";
    case bad_chunk_size:
    case bad_chunk_extension:
    case bad_chunk_end:
      return "chunk";
    case forbidden_trailer_field:
      return "trailer";
    case bare_cr:
    case bare_lf:
      return in_content ? "chunk" : "header";
    case incomplete_message:
    case missing_response:
      return "eof";
    case unexpected_response:
    case unexpected_switch:
      return "unexpected";
    default:
      return in_content ? "trailer" : "header";
  }
}

template <class Fields>
std::string list_of(const Fields& fields) {
  std::string text = "[";
  for (const auto& [name, value] : fields) {
    text += text.size() > 1 ? ",[" : "[";
    text += json_string(name) + "," + json_string(value) + "]";
  }
  return text + "]";
}

// One request, and what the client makes of what comes back.
class exchange {
 public:
  exchange(const std::string& method, const std::string& upgrade) {
    request asked(method, method == "CONNECT" ? "a.example:443" : "/", "a.example");
    if (!upgrade.empty()) {
      asked.set("Upgrade", upgrade);
    }
    std::string sent;
    connection_.send(asked, sent);
  }

  void receive(std::string_view piece) {
    input_ += piece;
    while (!is_over() && take_event()) {
    }
  }

  void end_of_stream() {
    connection_.end_of_stream();
    receive({});
  }

  std::string answer() const {
    if (connection_.error() != error::none) {
      return R"({"error":")" + std::string(class_of(connection_.error(), in_content_)) + "\"}";
    }
    if (!is_over()) {
      return R"({"incomplete":true})";
    }
    return R"({"status":)" + std::to_string(head_.status()) + R"(,"body_b64":")" +
           encode_base64(content_) + '"' + keepalive() + R"(,"interim":[)" + interim_ +
           R"(],"headers":)" + fields_ + R"(,"trailers":)" + trailers_ + R"(,"leftover_b64":")" +
           encode_base64(input_) + "\"}";
  }

 private:
  bool is_over() const {
    return ended_ || connection_.switched() || connection_.error() != error::none;
  }

  // Nothing is said of a connection that left HTTP.
  std::string keepalive() const {
    return connection_.switched()
               ? ""
               : std::string(R"(,"keepalive":)") + (connection_.must_close() ? "false" : "true");
  }

  // False when nothing more can be said without more input.
  bool take_event() {
    // A copy at an address of its own, so that a sanitizer sees any use of what is gone.
    const std::vector<char> copy(input_.begin(), input_.end());
    const event found = connection_.next({copy.data(), copy.size()}, head_);
    if (found.kind == event_kind::head) {
      take_head();
    }
    content_ += found.content;
    if (found.kind == event_kind::end) {
      ended_ = true;
      trailers_ = list_of(trailer_fields(found.trailers));
    }
    input_.erase(0, found.consumed);
    return found.kind != event_kind::need_more;
  }

  void take_head() {
    if (head_.is_interim()) {
      interim_ += (interim_.empty() ? "" : ",") + std::to_string(head_.status());
      return;
    }
    in_content_ = true;
    fields_ = list_of(head_.fields());
  }

  client_connection connection_{bounds};
  response_head head_{bounds.fields_max};
  std::string input_;
  std::string content_;
  std::string interim_;
  std::string fields_ = "[]";
  std::string trailers_ = "[]";
  bool in_content_ = false;
  bool ended_ = false;
};

std::string answer_to(const std::string& line) {
  auto question = read_json(line);
  const std::string octets = decode_base64(question["bytes_b64"]);
  const std::size_t step = question["split"] == "byte" ? 1 : octets.size();
  exchange asked(question["request.method"], question["request.upgrade"]);
  for (std::size_t at = 0; at < octets.size(); at += step) {
    asked.receive(std::string_view(octets).substr(at, step));
  }
  if (question["eof"] == "true") {
    asked.end_of_stream();
  }
  return asked.answer();
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer_to(line) << std::endl;
    } catch (const std::exception& fault) {
      std::cout << R"({"error":)" << json_string(fault.what()) << '}' << std::endl;
    }
  }
}
