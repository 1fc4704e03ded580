#include "protocol/authority.hpp"

#include <cstddef>

#include "protocol/percent.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::size_t port_digits_max = 5;

// 0 to `most`, digits only.
bool is_number_up_to(std::string_view text, unsigned most) {
  if (text.empty() || text.size() > port_digits_max || !is_all(class_digit, text)) {
    return false;
  }
  unsigned value = 0;
  for (const char digit : text) {
    value = value * 10 + static_cast<unsigned>(digit - '0');
  }
  return value <= most;
}

bool is_port(std::string_view text) {
  return is_number_up_to(text, 65535);
}

// dec-octet "." dec-octet "." dec-octet "." dec-octet, none with a leading zero.
bool is_ipv4_address(std::string_view text) {
  for (int octet = 0; octet < 4; ++octet) {
    const std::size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (octet == 3)) {
      return false;
    }
    const std::string_view number = text.substr(0, dot);
    if (!is_number_up_to(number, 255) || (number.size() > 1 && number.front() == '0')) {
      return false;
    }
    text = octet == 3 ? std::string_view{} : text.substr(dot + 1);
  }
  return true;
}

bool is_ipv6_group(std::string_view text) {
  return !text.empty() && text.size() <= 4 && is_all(class_hex_digit, text);
}

constexpr int bad_groups = -1;

// How many 16-bit groups the colon-separated text has; an IPv4 tail counts as two. Empty text has
// none, and anything malformed bad_groups.
int count_groups(std::string_view text, bool may_end_in_ipv4) {
  int count = 0;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    const bool last = colon == std::string_view::npos;
    if (last && may_end_in_ipv4 && is_ipv4_address(group)) {
      return count + 2;
    }
    if (!is_ipv6_group(group) || (!last && colon + 1 == text.size())) {
      return bad_groups;
    }
    ++count;
    text = last ? std::string_view{} : text.substr(colon + 1);
  }
  return count;
}

// Splits the host off; `rest` is what follows it, to be nothing or a colon and a port.
bool take_host(std::string_view text, std::string_view& rest) {
  if (text.empty()) {
    return false;
  }
  if (text.front() == '[') {
    const std::size_t closing = text.find(']');
    rest = closing == std::string_view::npos ? std::string_view{} : text.substr(closing + 1);
    return closing != std::string_view::npos && is_ipv6_address(text.substr(1, closing - 1));
  }
  const char* const end = text.data() + text.size();
  const char* const host_end = skip(class_reg_name, text.data(), end);
  const auto length = static_cast<std::size_t>(host_end - text.data());
  rest = text.substr(length);
  return length > 0 && has_sound_escapes(text.substr(0, length));
}

}  // namespace

bool is_ipv6_address(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    return count_groups(text, true) == 8;
  }
  const int before = count_groups(text.substr(0, gap), false);
  const int after = count_groups(text.substr(gap + 2), true);
  return before != bad_groups && after != bad_groups && before + after <= 7;
}

bool is_host_and_port(std::string_view text) {
  if (!text.empty() && is_all(class_plain_name, text)) {
    return true;  // most Host fields
  }
  std::string_view rest;
  if (!take_host(text, rest)) {
    return false;
  }
  return rest.empty() || rest == ":" || (rest.front() == ':' && is_port(rest.substr(1)));
}

bool is_host_with_port(std::string_view text) {
  std::string_view rest;
  return take_host(text, rest) && rest.size() > 1 && rest.front() == ':' && is_port(rest.substr(1));
}

}  // namespace bulkhead::protocol
