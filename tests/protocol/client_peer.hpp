// A client's connection with its input, driven step by step, and what it should say.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/client_connection.hpp"
#include "tests/protocol/support.hpp"

namespace bulkhead::protocol::test {

// Request by method; what is not CONNECT asks for "/".
inline request asking(std::string_view method = "GET") {
  return {method, method == "CONNECT" ? "a.example:443" : "/", "a.example"};
}

// A connection with its input, driven step by step.
struct client_peer {
  client_connection connection;
  response_head head{limits{}.fields_max};
  std::string input;  // complete from the start: views into it stay good
  std::size_t consumed = 0;
  std::string output;

  explicit client_peer(std::string text = {}, const limits& bounds = defaults())
      : connection(bounds), input(std::move(text)) {}

  event next() {
    const event found = connection.next(std::string_view(input).substr(consumed), head);
    consumed += found.consumed;
    return found;
  }

  event_kind kind() { return next().kind; }
  std::string_view rest() const { return std::string_view(input).substr(consumed); }

  auto send(const request& asked) { return connection.send(asked, output); }

  static const limits& defaults() {
    static const limits bounds;
    return bounds;
  }
};

// What came back for some requests, as text, and how the connection ended.
struct received {
  std::string text;  // "status content [trailers]" for each response, "(status)" for interim ones
  error why = error::none;
  bool must_close = false;
  bool switched = false;
  std::size_t unanswered = 0;
  std::size_t unconsumed = 0;  // 0 when refused

  bool operator==(const received&) const = default;
};

// Sends the requests, then feeds `input` in every splitting; `ends`: and then the end of stream.
received receive(std::string_view input, const std::vector<request>& requests = {asking()},
                 bool ends = false, const limits& bounds = client_peer::defaults());

// The refusal of a response to a GET; error::none when there is none.
inline error refusal_of_response(std::string_view input, bool ends = false) {
  return receive(input, {asking()}, ends).why;
}

// A 200 with these field lines, each with its CRLF.
inline std::string ok_with(std::string_view lines, std::string_view content = "") {
  return "HTTP/1.1 200 OK\r\n" + std::string(lines) + "\r\n" + std::string(content);
}

inline const std::string ok_hello = ok_with("Content-Length: 5\r\n", "hello");
inline const std::string ok_chunked =
    ok_with("Transfer-Encoding: chunked\r\n", "2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX: y\r\n\r\n");

}  // namespace bulkhead::protocol::test
