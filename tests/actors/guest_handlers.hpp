// Handlers in sandboxes, as tests want them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/served.hpp"

namespace bulkhead::tests {

inline const std::string hostile = BULKHEAD_GUESTS "hostile.so";
inline const std::string example = BULKHEAD_EXAMPLE_GUEST;

inline guest_handler handler_of(std::string path, std::string file) {
  guest_handler one;
  one.path = std::move(path);
  one.file = std::move(file);
  one.methods = {"GET", "POST"};
  one.spares = 0;
  return one;
}

inline config with(std::vector<guest_handler> handlers, unsigned threads = 1) {
  auto settings = on_loopback(threads);
  settings.handlers = std::move(handlers);
  return settings;
}

// In the server itself.
inline guest_handler inline_of(std::string path, std::string file) {
  auto one = handler_of(std::move(path), std::move(file));
  one.run = "inline";
  return one;
}

inline std::string without_date(std::string answer) {
  const auto at = answer.find("Date: ");
  return answer.erase(at, answer.find('\n', at) - at);
}

inline std::string post(std::string_view path, std::string_view content,
                        const std::string& fields = {}) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: t\r\n" + fields +
         "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

}  // namespace bulkhead::tests
