#include "bench/worker_server/pages.hpp"

#include <array>
#include <string>

namespace bulkhead::worker {
namespace {

using protocol::method;
using protocol::response;

constexpr std::size_t big_bytes = 16 * 1024;

response home(std::string_view) {
  return response::text("No actors and no isolation: something to measure against.\n");
}

response hello(std::string_view) {
  return response::text("Hello, world!");
}

response big(std::string_view) {
  return response::bytes(std::string(big_bytes, 'x'));
}

response echo(std::string_view content) {
  return response::bytes(std::string(content));
}

struct page {
  std::string_view path;
  method asked_by;
  std::string_view allow;
  response (*make)(std::string_view content);
};

constexpr std::array pages{
    page{"/", method::get, "GET, HEAD", home}, page{"/hello", method::get, "GET, HEAD", hello},
    page{"/small", method::get, "GET, HEAD", hello}, page{"/big", method::get, "GET, HEAD", big},
    page{"/echo", method::post, "POST", echo}};

}  // namespace

response answer(const protocol::request_head& head, std::string_view content) {
  const auto asked = head.known_method() == method::head ? method::get : head.known_method();
  if (asked == method::unknown) return response::text("method not implemented\n", 501);
  for (const auto& each : pages) {
    if (each.path != head.path()) continue;
    if (each.asked_by == asked) return each.make(content);
    auto refusal = response::text("method not allowed\n", 405);
    refusal.set("Allow", each.allow);
    return refusal;
  }
  return response::text("not found\n", 404);
}

}  // namespace bulkhead::worker
