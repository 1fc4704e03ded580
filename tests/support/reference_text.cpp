#include "tests/support/reference_text.hpp"

#include <arpa/inet.h>

#include <algorithm>

namespace bulkhead::protocol::test::reference {

// --- characters

bool is_digit(char c) {
  return '0' <= c && c <= '9';
}
static bool is_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
}
static bool is_hex(char c) {
  return is_digit(c) || ('a' <= c && c <= 'f') || ('A' <= c && c <= 'F');
}
bool is_any(char c, text of) {
  return of.find(c) != text::npos;
}
bool is_tchar(char c) {
  return is_digit(c) || is_letter(c) || is_any(c, "!#$%&'*+-.^_`|~");
}
static bool is_name_char(char c) {  // unreserved and sub-delims, RFC 3986
  return is_digit(c) || is_letter(c) || is_any(c, "-._~!$&'()*+,;=");
}
bool is_path_char(char c) {
  return is_name_char(c) || is_any(c, ":@/%");
}
bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_control(char c) {
  const auto octet = static_cast<unsigned char>(c);
  return octet < 0x20 || octet == 0x7f;
}

bool all(text octets, bool (*test)(char)) {
  return std::all_of(octets.begin(), octets.end(), test);
}

bool escapes_are_sound(text octets) {
  for (std::size_t i = 0; i < octets.size(); ++i) {
    const bool two_follow = i + 2 < octets.size();
    if (octets[i] == '%' && !(two_follow && is_hex(octets[i + 1]) && is_hex(octets[i + 2]))) {
      return false;
    }
  }
  return true;
}

std::string lowered(text octets) {
  std::string result(octets);
  for (char& c : result) {
    c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

text trimmed(text octets) {
  while (!octets.empty() && is_blank(octets.front())) {
    octets = octets.substr(1);
  }
  while (!octets.empty() && is_blank(octets.back())) {
    octets = octets.substr(0, octets.size() - 1);
  }
  return octets;
}

std::vector<text> members_of(text list) {
  std::vector<text> members;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    members.push_back(trimmed(list.substr(0, comma)));
    list = list.substr(std::min(comma + 1, list.size()));
  }
  return members;
}

// --- authorities

static bool is_host(text host) {
  if (host.starts_with('[') && host.ends_with(']')) {
    const std::string address(host.substr(1, host.size() - 2));
    in6_addr ignored{};
    return all(address, [](char c) { return is_hex(c) || c == ':' || c == '.'; }) &&
           inet_pton(AF_INET6, address.c_str(), &ignored) == 1;
  }
  return !host.empty() && all(host, [](char c) { return is_name_char(c) || c == '%'; }) &&
         escapes_are_sound(host);
}

bool is_authority(text octets, port wanted) {
  const std::size_t host_end = octets.starts_with('[') ? octets.find(']') + 1 : 0;
  const std::size_t colon = octets.find(':', host_end);
  if (!is_host(octets.substr(0, colon))) {
    return false;
  }
  if (colon == text::npos || colon + 1 == octets.size()) {
    return wanted == port::allowed;
  }
  const text digits = octets.substr(colon + 1);
  return digits.size() <= 5 && all(digits, is_digit) && std::stoi(std::string(digits)) <= 65535;
}

}  // namespace bulkhead::protocol::test::reference
