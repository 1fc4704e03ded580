#include "protocol/response.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view separator = ": ";

[[noreturn]] void reject(std::string_view name, std::string_view fault) {
  throw std::invalid_argument("response field \"" + std::string(name) +
                              "\": " + std::string(fault));
}

std::uint16_t checked_status(int status) {
  if (status != 101 && (status < 200 || status > 599)) {
    throw std::invalid_argument("response status " + std::to_string(status) +
                                ": must be 101 or lie between 200 and 599");
  }
  return static_cast<std::uint16_t>(status);
}

bool is_the_servers(std::string_view name) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"content-length", "transfer-encoding", "connection",
                                              "date", "keep-alive", "trailer"},
      [name](std::string_view own) { return same_word(own, name); });
}

void check_name(std::string_view name, std::uint16_t status) {
  if (!is_token(name)) {
    reject(name,
           name.empty() ? "the name is empty" : "the name has a character that no token may have");
  }
  if (is_the_servers(name)) {
    reject(name, same_word(name, "connection")
                     ? "the server manages the connection; close() ends it"
                     : "the server sets this field itself");
  }
  if (same_word(name, "upgrade") && status != 101 && status != 426) {
    reject(name, "only a response with status 101 or 426 may have it");
  }
}

void check_value(std::string_view name, std::string_view value) {
  const char* const end = value.data() + value.size();
  const char* const bad = skip(class_value, value.data(), end);
  if (bad != end) {
    const std::string_view what = *bad == '\r'   ? "a carriage return"
                                  : *bad == '\n' ? "a line feed"
                                  : *bad == '\0' ? "a NUL"
                                                 : "a control character";
    reject(name, "the value has " + std::string(what) + " at offset " +
                     std::to_string(bad - value.data()));
  }
}

// Where a line with this name begins in field lines in wire form, or npos.
std::size_t find_line(std::string_view lines, std::string_view name) {
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
    if (same_word(lines.substr(at, lines.find(':', at) - at), name)) {
      return at;
    }
  }
  return std::string_view::npos;
}

void remove_lines(std::string& lines, std::string_view name) {
  for (std::size_t at = find_line(lines, name); at != std::string::npos;
       at = find_line(lines, name)) {
    lines.erase(at, lines.find('\n', at) + 1 - at);
  }
}

}  // namespace

response::response(int status) : status_(checked_status(status)) {}

response::response(int status, std::string content, std::string_view content_type)
    : content_(std::move(content)),
      default_content_type_(content_type),
      status_(checked_status(status)) {}

response response::text(std::string content, int status) {
  return {status, std::move(content), "text/plain; charset=utf-8"};
}

response response::html(std::string content, int status) {
  return {status, std::move(content), "text/html; charset=utf-8"};
}

response response::json(std::string content, int status) {
  return {status, std::move(content), "application/json"};
}

response response::bytes(std::string content, int status) {
  return {status, std::move(content), "application/octet-stream"};
}

response& response::set(std::string_view name, std::string_view value) {
  check_name(name, status_);
  check_value(name, value);
  remove_lines(field_lines_, name);
  return add(name, value);
}

response& response::add(std::string_view name, std::string_view value) {
  check_name(name, status_);
  check_value(name, value);
  field_lines_.reserve(field_lines_.size() + name.size() + separator.size() + value.size() +
                       line_end.size());
  if (same_word(name, "content-type")) {
    default_content_type_ = {};
  }
  for (const std::string_view part : {name, separator, value, line_end}) {
    field_lines_.append(part);
  }
  return *this;
}

void response::reset(int status) {
  status_ = checked_status(status);
  field_lines_.clear();
  content_.clear();
  source_ = nullptr;
  default_content_type_ = {};
  closes_ = false;
}

std::string_view response::content_type() const {
  return default_content_type_.empty() ? find("content-type") : default_content_type_;
}

std::string_view response::find(std::string_view name) const {
  const std::size_t at = find_line(field_lines_, name);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view line = field_lines().substr(at + name.size() + separator.size());
  return line.substr(0, line.find('\r'));
}

}  // namespace bulkhead::protocol
