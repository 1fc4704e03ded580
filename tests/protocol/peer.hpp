// A connection with its input, driven step by step, and what it should say.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tests/protocol/support.hpp"

namespace bulkhead::protocol::test {

inline const limits bounds;

// A connection with its input, driven step by step.
struct peer {
  server_connection connection{bounds};
  request_head head{bounds.fields_max};
  std::string input;  // complete from the start: views into it stay good
  std::size_t consumed = 0;
  std::string output;

  explicit peer(std::string text = {}) : input(std::move(text)) {}

  event next() {
    const event found = connection.next(std::string_view(input).substr(consumed), head);
    consumed += found.consumed;
    return found;
  }

  event_kind kind() { return next().kind; }

  auto respond(const response& answer) { return connection.respond(head, answer, date, output); }
};

// The answer of echo() to a request with this content.
inline std::string ok(std::string_view content, std::string_view connection_line = "") {
  return "HTTP/1.1 200 OK\r\nDate: " + std::string(date) +
         "\r\nContent-Type: application/octet-stream\r\nContent-Length: " +
         std::to_string(content.size()) + "\r\n" + std::string(connection_line) + "\r\n" +
         std::string(content);
}

inline constexpr const char* get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
inline constexpr const char* get10 = "GET / HTTP/1.0\r\n\r\n";
inline constexpr const char* close_line = "Connection: close\r\n";

}  // namespace bulkhead::protocol::test
