#include "protocol/request_writer.hpp"

#include "protocol/digits.hpp"

namespace bulkhead::protocol {

namespace {

// Whether a server expects content with this method, RFC 9110 section 8.6: then its absence is
// said.
bool anticipates_content(method known) {
  return known == method::post || known == method::put || known == method::patch;
}

void append_framing(method known, const request_content& content, std::string& out) {
  if (content.chosen == framing::chunked) {
    out.append("Transfer-Encoding: chunked\r\n");
  } else if (content.length > 0 || anticipates_content(known)) {
    out.append("Content-Length: ").append(digits_of(content.length).view()).append("\r\n");
  }
}

// Upgrade and TE are hop-by-hop, so Connection names them (RFC 9110 sections 7.8 and 10.1.4).
void append_connection(const request& asked, std::string& out) {
  std::string_view before = "Connection: ";
  const auto option = [&](bool wanted, std::string_view name) {
    if (wanted) {
      out.append(before).append(name);
      before = ", ";
    }
  };
  option(asked.closes(), "close");
  option(asked.asks_upgrade(), "upgrade");
  option(!asked.find("te").empty(), "TE");
  if (before == ", ") {
    out.append("\r\n");
  }
}

}  // namespace

std::optional<write_error> find_fault(const request& asked, const request_content& content) {
  const method known = asked.known_method();
  if (!content.empty() && (known == method::connect || known == method::trace)) {
    return write_error::content_not_allowed;
  }
  return std::nullopt;
}

void write_head(const request& asked, const request_content& content, std::string& out) {
  out.append(asked.first_lines()).append(asked.field_lines());
  append_framing(asked.known_method(), content, out);
  if (asked.expects_continue() && !content.empty()) {
    out.append("Expect: 100-continue\r\n");
  }
  append_connection(asked, out);
  out.append("\r\n");
}

}  // namespace bulkhead::protocol
