#include "protocol/request.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocol/authority.hpp"
#include "protocol/field_lines.hpp"
#include "protocol/target.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

void check_name(std::string_view name) {
  check_field_name(name);
  const auto own = {"content-length", "transfer-encoding", "connection", "host",
                    "keep-alive",     "trailer",           "expect"};
  if (std::ranges::any_of(own, [name](const char* word) { return same_word(word, name); })) {
    reject_field(name, "the connection sets this field itself");
  }
}

void check_first_lines(std::string_view method, std::string_view target, std::string_view host) {
  if (!is_token(method)) {
    throw std::invalid_argument("request method \"" + std::string(method) + "\": is no token");
  }
  target_parts parts;
  if (const error why = parse_target(target, method_of(method), parts); why != error::none) {
    throw std::invalid_argument("request target \"" + std::string(target) +
                                "\": " + std::string(text_of(why)));
  }
  if (!is_host_and_port(host)) {
    throw std::invalid_argument("request host \"" + std::string(host) +
                                "\": is not a host with an optional port");
  }
}

}  // namespace

request::request(std::string_view method, std::string_view target, std::string_view host) {
  reset(method, target, host);
}

void request::reset(std::string_view method, std::string_view target, std::string_view host) {
  check_first_lines(method, target, host);
  known_method_ = method_of(method);
  first_lines_.clear();
  for (const std::string_view part :
       {method, std::string_view(" "), target, std::string_view(" HTTP/1.1\r\n")}) {
    first_lines_.append(part);
  }
  append_field_line(first_lines_, "Host", host);
  field_lines_.clear();
  content_.clear();
  expects_continue_ = closes_ = false;
}

request& request::set(std::string_view name, std::string_view value) {
  check_name(name);
  check_field_value(name, value);
  remove_field_lines(field_lines_, name);
  append_field_line(field_lines_, name, value);
  return *this;
}

request& request::add(std::string_view name, std::string_view value) {
  check_name(name);
  check_field_value(name, value);
  append_field_line(field_lines_, name, value);
  return *this;
}

std::string_view request::find(std::string_view name) const {
  return find_field_line(field_lines_, name);
}

}  // namespace bulkhead::protocol
