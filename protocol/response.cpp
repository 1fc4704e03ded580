#include "protocol/response.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/field_lines.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

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
  check_field_name(name);
  if (is_the_servers(name)) {
    reject_field(name, same_word(name, "connection")
                           ? "the server manages the connection; close() ends it"
                           : "the server sets this field itself");
  }
  if (same_word(name, "upgrade") && status != 101 && status != 426) {
    reject_field(name, "only a response with status 101 or 426 may have it");
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
  check_field_value(name, value);
  remove_field_lines(field_lines_, name);
  return add(name, value);
}

response& response::add(std::string_view name, std::string_view value) {
  check_name(name, status_);
  check_field_value(name, value);
  append_field_line(field_lines_, name, value);
  if (same_word(name, "content-type")) {
    default_content_type_ = {};
  }
  return *this;
}

void response::reset(int status) {
  status_ = checked_status(status);
  field_lines_.clear();
  content_.clear();
  source_ = nullptr;
  file_ = nullptr;
  upgrade_ = nullptr;
  default_content_type_ = {};
  closes_ = false;
}

std::string_view response::content_type() const {
  return default_content_type_.empty() ? find("content-type") : default_content_type_;
}

std::string_view response::find(std::string_view name) const {
  return find_field_line(field_lines_, name);
}

}  // namespace bulkhead::protocol
