#include "bench/worker_server/pages.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

namespace bulkhead::worker {
namespace {

using protocol::method;
using protocol::response;

using head_view = const protocol::request_head&;

constexpr std::uint64_t big_bytes_default = 16 * 1024;
constexpr std::uint64_t big_bytes_max = 64 * 1024 * 1024;
constexpr std::uint64_t pause_ms_max = 1000;

// The one number that a query has: "n=65536".
std::uint64_t number_of(head_view head, std::uint64_t otherwise, std::uint64_t most) {
  const auto query = head.query();
  const auto text = query.substr(std::min(query.find('=') + 1, query.size()));
  std::uint64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::min(number, most);
}
std::chrono::milliseconds pause_of(head_view head) {
  return std::chrono::milliseconds(number_of(head, 100, pause_ms_max));
}

response home(head_view, std::string_view) {
  return response::text("No actors and no isolation: something to measure against.\n");
}

response hello(head_view, std::string_view) {
  return response::text("Hello, world!");
}

response big(head_view head, std::string_view) {
  return response::bytes(std::string(number_of(head, big_bytes_default, big_bytes_max), 'x'));
}

response echo(head_view, std::string_view content) {
  return response::bytes(std::string(content));
}

response sleep(head_view head, std::string_view) {
  std::this_thread::sleep_for(pause_of(head));
  return response::text("slept\n");
}

response spin(head_view head, std::string_view) {
  const auto end = std::chrono::steady_clock::now() + pause_of(head);
  while (std::chrono::steady_clock::now() < end) {
  }
  return response::text("spun\n");
}

response throws(head_view, std::string_view) {
  throw std::runtime_error("asked to throw");
}

response crash(head_view, std::string_view) {
  std::abort();
}

struct page {
  std::string_view path;
  method asked_by;
  std::string_view allow;
  response (*make)(head_view head, std::string_view content);
};

constexpr std::array pages{page{"/", method::get, "GET, HEAD", home},
                           page{"/hello", method::get, "GET, HEAD", hello},
                           page{"/small", method::get, "GET, HEAD", hello},
                           page{"/big", method::get, "GET, HEAD", big},
                           page{"/echo", method::post, "POST", echo},
                           page{"/sleep", method::get, "GET, HEAD", sleep},
                           page{"/spin", method::get, "GET, HEAD", spin},
                           page{"/throw", method::get, "GET, HEAD", throws},
                           page{"/crash", method::get, "GET, HEAD", crash}};

}  // namespace

response answer(const protocol::request_head& head, std::string_view content) {
  const auto asked = head.known_method() == method::head ? method::get : head.known_method();
  if (asked == method::unknown) return response::text("method not implemented\n", 501);
  for (const auto& each : pages) {
    if (each.path != head.path()) continue;
    if (each.asked_by == asked) return each.make(head, content);
    auto refusal = response::text("method not allowed\n", 405);
    refusal.set("Allow", each.allow);
    return refusal;
  }
  return response::text("not found\n", 404);
}

}  // namespace bulkhead::worker
