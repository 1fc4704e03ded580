#include "protocol/response_writer.hpp"

#include <cstring>

#include "protocol/digits.hpp"

namespace bulkhead::protocol {

namespace {

// Besides the texts whose sizes are known: the status line, the names of four fields, a number of
// 20 digits and every CRLF.
constexpr std::size_t fixed_bytes_max = 256;

// Puts a head together in memory that has been made large enough at once: a string that grows
// piece by piece asks before each whether there is room.
class head_text {
 public:
  explicit head_text(char* to) : to_(to) {}

  char* end() const { return to_; }

  template <std::size_t N>
  head_text& put(const char (&literal)[N]) {
    std::memcpy(to_, literal, N - 1);
    to_ += N - 1;
    return *this;
  }

  head_text& put(std::string_view text) {
    if (!text.empty()) {
      std::memcpy(to_, text.data(), text.size());
      to_ += text.size();
    }
    return *this;
  }

  void put_status_line(std::uint16_t status) {
    if (status == 200) {
      put("HTTP/1.1 200 OK\r\n");
      return;
    }
    put("HTTP/1.1 ").put(digits_of(status).view()).put(" ").put(reason_phrase(status)).put("\r\n");
  }

  void put_date(std::string_view date) {
    if (!date.empty()) {
      put("Date: ").put(date).put("\r\n");
    }
  }

  void put_framing(std::uint64_t content_bytes, framing chosen, std::uint16_t status) {
    if (!allows_content_length(status) || chosen == framing::until_close) {
      return;
    }
    if (chosen == framing::chunked && allows_content(status)) {
      put("Transfer-Encoding: chunked\r\n");
      return;
    }
    put("Content-Length: ").put(digits_of(content_bytes).view()).put("\r\n");
  }

 private:
  char* to_;
};

// Appends what `write` puts, which is at most so long.
template <class Write>
void append_head(std::size_t bytes_max, std::string& out, Write write) {
  const std::size_t begin = out.size();
  out.resize(begin + bytes_max);
  head_text head(out.data() + begin);
  write(head);
  out.resize(static_cast<std::size_t>(head.end() - out.data()));
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

// HTTP/1.1 stays open without a word, HTTP/1.0 closes without one (RFC 9112 section 9.3); both are
// told what the other default would leave open.
std::string_view connection_line(std::uint16_t status, const head_context& context) {
  return status == 101                ? "Connection: upgrade\r\n"
         : context.closes             ? "Connection: close\r\n"
         : context.minor_version == 0 ? "Connection: keep-alive\r\n"
                                      : std::string_view{};
}

void write_head(const response& answer, const head_context& context, std::string& out) {
  const std::string_view type = answer.default_content_type();
  const std::string_view lines = answer.field_lines();
  const std::size_t known_bytes = context.date.size() + type.size() + lines.size();
  append_head(fixed_bytes_max + known_bytes, out, [&](head_text& head) {
    head.put_status_line(answer.status());
    head.put_date(context.date);
    if (!type.empty()) {
      head.put("Content-Type: ").put(type).put("\r\n");
    }
    head.put(lines);
    head.put_framing(answer.content_bytes(), context.content_framing, answer.status());
    head.put(connection_line(answer.status(), context)).put("\r\n");
  });
}

void write_continue(std::string& out) {
  out.append("HTTP/1.1 100 Continue\r\n\r\n");
}

void write_refusal(error why, method request_method, std::string_view date, std::string& out) {
  const std::string_view text = text_of(why);
  const std::uint16_t status = status_of(why);
  append_head(fixed_bytes_max + date.size() + text.size(), out, [&](head_text& head) {
    head.put_status_line(status);
    head.put_date(date);
    head.put("Content-Type: text/plain; charset=utf-8\r\n");
    head.put_framing(text.size() + 1, framing::length, status);
    if (status == 503) {
      head.put("Retry-After: 1\r\n");
    }
    head.put("Connection: close\r\n\r\n");
    if (request_method != method::head) {
      head.put(text).put("\n");
    }
  });
}

}  // namespace bulkhead::protocol
