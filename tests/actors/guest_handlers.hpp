// Handlers in sandboxes, as tests want them.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

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

// Mappings of the code of modules.
inline std::size_t count_modules() {
  std::ifstream maps("/proc/self/maps");
  std::size_t found = 0;
  for (std::string line; std::getline(maps, line);)
    found += line.find("memfd:bulkhead-guest") != std::string::npos ? 1 : 0;
  return found;
}

struct handler_holdings {
  std::size_t descriptors, modules;
  std::uintmax_t reserved_bytes;

  bool operator==(const handler_holdings&) const = default;
};

// Instances of modules reserve 8 GiB each; processes have descriptors.
inline handler_holdings count_handler_holdings() {
  const auto all = std::filesystem::directory_iterator("/proc/self/fd");
  std::ifstream sizes("/proc/self/statm");
  std::uintmax_t pages = 0;
  sizes >> pages;
  return {static_cast<std::size_t>(std::distance(begin(all), end(all))), count_modules(),
          (pages * 4096) >> 32};
}

// The same settings again and again, each time with another file behind the same name.
inline void check_reloads_leave_nothing(served& s, const config& settings, const std::string& file,
                                        client& c) {
  const auto before = count_handler_holdings();
  for (int i = 0; i < 50; ++i) {
    std::filesystem::last_write_time(
        file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));
    CHECK(s->reload(settings).empty());
    CHECK(status_of(c.ask(get("/hello"))) == 200);
  }
  wait_until([&] { return count_handler_holdings() == before; });
}

}  // namespace bulkhead::tests
