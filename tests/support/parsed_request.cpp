#include "tests/support/parsed_request.hpp"

#include <algorithm>

namespace bulkhead::protocol::test {

namespace {

bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || a.data() == b.data() || (a == "/" && b == "/"));
}

}  // namespace

parsed_request parsed(const event& found, const request_head& head) {
  parsed_request result;
  result.kind = found.kind;
  result.why = found.why;
  if (found.kind != event_kind::head) {
    return result;
  }
  result.size_bytes = found.consumed == head.size_bytes() ? found.consumed : 0;
  result.method = head.method();
  result.target = head.target();
  result.form = head.form();
  result.path = head.path();
  if (head.has_query()) {
    result.query = head.query();
  }
  result.authority = head.authority();
  result.minor_version = head.minor_version();
  for (const auto [name, value] : head.fields()) {
    result.fields.emplace_back(name, value);
  }
  result.content_length = head.content_length();
  result.chunked = head.chunked();
  result.keep_alive = head.keep_alive();
  result.expects_continue = head.expects_continue();
  result.upgrade = head.upgrade();
  return result;
}

std::string difference(const parsed_request& a, const parsed_request& b) {
  const auto same_field = [](const auto& x, const auto& y) {
    return same(x.first, y.first) && same(x.second, y.second);
  };
  if (a.kind != b.kind || a.why != b.why) {
    return "verdict: " + std::string(name_of(a.why)) + " and " + std::string(name_of(b.why));
  }
  if (a.size_bytes != b.size_bytes) return "size";
  if (!same(a.method, b.method)) return "method";
  if (!same(a.target, b.target) || a.form != b.form) return "target";
  if (!same(a.path, b.path)) return "path";
  if (a.query.has_value() != b.query.has_value()) return "has_query";
  if (!same(a.query.value_or(""), b.query.value_or(""))) return "query";
  if (!same(a.authority, b.authority)) return "authority";
  if (a.minor_version != b.minor_version) return "version";
  if (!std::ranges::equal(a.fields, b.fields, same_field)) return "fields";
  if (a.content_length != b.content_length || a.chunked != b.chunked) return "framing";
  if (a.keep_alive != b.keep_alive) return "keep_alive";
  if (a.expects_continue != b.expects_continue) return "expects_continue";
  if (!same(a.upgrade, b.upgrade)) return "upgrade";
  return {};
}

}  // namespace bulkhead::protocol::test
