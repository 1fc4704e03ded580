#include "protocol/response_writer.hpp"

#include "protocol/digits.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::string_view line_end = "\r\n";

void append_field(std::string_view name, std::string_view value, std::string& out) {
  out.append(name).append(value).append(line_end);
}

void append_status_line(std::uint16_t status, std::string& out) {
  if (status == 200) {
    out.append("HTTP/1.1 200 OK\r\n");
    return;
  }
  out.append("HTTP/1.1 ").append(digits_of(status, 10).view()).append(" ");
  out.append(reason_phrase(status)).append(line_end);
}

void append_framing(std::size_t content_bytes, framing chosen, std::uint16_t status,
                    std::string& out) {
  if (!allows_content_length(status) || chosen == framing::until_close) {
    return;
  }
  if (chosen == framing::chunked && allows_content(status)) {
    out.append("Transfer-Encoding: chunked\r\n");
    return;
  }
  append_field("Content-Length: ", digits_of(content_bytes, 10).view(), out);
}

// HTTP/1.1 stays open without a word, HTTP/1.0 closes without one (RFC 9112 section 9.3); both are
// told what the other default would leave open.
void append_connection(std::uint16_t status, const head_context& context, std::string& out) {
  if (status == 101) {
    out.append("Connection: upgrade\r\n");
  } else if (context.closes) {
    out.append("Connection: close\r\n");
  } else if (context.minor_version == 0) {
    out.append("Connection: keep-alive\r\n");
  }
}

void append_date(std::string_view date, std::string& out) {
  if (!date.empty()) {
    append_field("Date: ", date, out);
  }
}

}  // namespace

std::optional<write_error> find_fault(const response& answer, method request_method) {
  const std::uint16_t status = answer.status();
  if (!allows_content(status) && answer.content_bytes() != 0) {
    return write_error::content_not_allowed;
  }
  if (request_method == method::connect && status >= 200 && status < 300) {
    return write_error::connect_accepted;
  }
  if (status == 101 && answer.find("upgrade").empty()) {
    return write_error::upgrade_unnamed;
  }
  return std::nullopt;
}

void write_head(const response& answer, const head_context& context, std::string& out) {
  append_status_line(answer.status(), out);
  append_date(context.date, out);
  if (!answer.default_content_type().empty()) {
    append_field("Content-Type: ", answer.default_content_type(), out);
  }
  out.append(answer.field_lines());
  append_framing(answer.content_bytes(), context.content_framing, answer.status(), out);
  append_connection(answer.status(), context, out);
  out.append(line_end);
}

void write_continue(std::string& out) {
  out.append("HTTP/1.1 100 Continue\r\n\r\n");
}

void write_refusal(error why, method request_method, std::string_view date, std::string& out) {
  const std::string_view text = text_of(why);
  append_status_line(status_of(why), out);
  append_date(date, out);
  out.append("Content-Type: text/plain; charset=utf-8\r\n");
  append_field("Content-Length: ", digits_of(text.size() + 1, 10).view(), out);
  if (status_of(why) == 503) {
    out.append("Retry-After: 1\r\n");
  }
  out.append("Connection: close\r\n\r\n");
  if (request_method != method::head) {
    out.append(text).append("\n");
  }
}

}  // namespace bulkhead::protocol
