// A handler that runs in a sandbox: a shared object, or a WebAssembly module, from this source.
#include "sandbox/bulkhead_guest.hpp"

#include <charconv>

namespace {

using bulkhead::guest::request;
using bulkhead::guest::response;

void hello(const request&, response& to) {
  to.field("content-type", "text/plain").content("Hello from a sandbox!\n");
}

void echo(const request& from, response& to) {
  to.field("content-type", "application/octet-stream").content(from.content());
}

void headers(const request& from, response& to) {
  to.field("content-type", "text/plain");
  from.each_field([&](std::string_view name, std::string_view value) {
    if (name.starts_with(':')) return;
    to.content(name).content(": ").content(value).content("\n");
  });
}

// The sum of the numbers that the content lists, separated by white space.
void sum(const request& from, response& to) {
  const auto text = from.content();
  const auto* at = text.data();
  const auto* const end = at + text.size();
  std::uint64_t total = 0;
  while (at != end) {
    std::uint64_t number = 0;
    const auto read = std::from_chars(at, end, number);
    at = read.ec == std::errc() ? read.ptr : at + 1;
    total += number;
  }
  char digits[24];
  const auto written = std::to_chars(digits, digits + sizeof digits, total);
  to.field("content-type", "text/plain")
      .content({digits, static_cast<std::size_t>(written.ptr - digits)})
      .content("\n");
}

void handle(const request& from, response& to) {
  const auto target = from.target();
  if (target == "/hello") return hello(from, to);
  if (target == "/echo") return echo(from, to);
  if (target == "/headers") return headers(from, to);
  if (target == "/sum") return sum(from, to);
  bulkhead::guest::log("no such route");
  to.status(404).field("content-type", "text/plain").content("no such route\n");
}

}  // namespace

BULKHEAD_HANDLER(handle)
