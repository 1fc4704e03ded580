// The character classes of RFC 9110 section 5.6 and RFC 3986 section 2, one table for all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bulkhead::protocol {

using character_class = std::uint8_t;

// Bits: an octet may belong to several classes.
inline constexpr character_class class_token = 1;      // tchar
inline constexpr character_class class_value = 2;      // field-vchar, SP, HTAB
inline constexpr character_class class_path = 4;       // pchar and "/", percent sign included
inline constexpr character_class class_target = 8;     // every octet that any target may hold
inline constexpr character_class class_reg_name = 16;  // registered name, percent sign included
inline constexpr character_class class_digit = 32;
inline constexpr character_class class_hex_digit = 64;
inline constexpr character_class class_query = 128;  // pchar, "/" and "?"

namespace detail {

constexpr bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

constexpr character_class classify(unsigned octet) {
  const char c = static_cast<char>(octet);
  const bool digit = octet >= '0' && octet <= '9';
  const bool letter = (octet >= 'a' && octet <= 'z') || (octet >= 'A' && octet <= 'Z');
  const bool unreserved = digit || letter || (octet != 0 && is_one_of(c, "-._~"));
  const bool in_name = unreserved || (octet != 0 && is_one_of(c, "!$&'()*+,;=%"));
  const bool in_path = in_name || (octet != 0 && is_one_of(c, ":@/"));
  unsigned bits = 0;
  bits |= digit || letter || (octet != 0 && is_one_of(c, "!#$%&'*+-.^_`|~")) ? class_token : 0u;
  bits |= (octet >= 0x20 && octet != 0x7f) || octet == '\t' ? class_value : 0u;
  bits |= in_path ? class_path : 0u;
  bits |= in_path || (octet != 0 && is_one_of(c, "?[]")) ? class_target : 0u;
  bits |= in_path || octet == '?' ? class_query : 0u;
  bits |= in_name ? class_reg_name : 0u;
  bits |= digit ? class_digit : 0u;
  bits |=
      digit || ((octet | 0x20) >= 'a' && (octet | 0x20) <= 'f' && letter) ? class_hex_digit : 0u;
  return static_cast<character_class>(bits);
}

constexpr std::array<character_class, 256> classify_all() {
  std::array<character_class, 256> table{};
  for (unsigned octet = 0; octet < 256; ++octet) {
    table[octet] = classify(octet);
  }
  return table;
}

}  // namespace detail

inline constexpr std::array<character_class, 256> character_classes = detail::classify_all();

constexpr bool is(character_class wanted, char c) {
  return (character_classes[static_cast<unsigned char>(c)] & wanted) != 0;
}

// The first octet of [from, end) that is outside the class, or end.
constexpr const char* skip(character_class wanted, const char* from, const char* end) {
  while (from != end && is(wanted, *from)) {
    ++from;
  }
  return from;
}

// Whether one of eight octets is a control: below 0x20, or 0x7f. Octets from 0x80 up are none.
constexpr bool has_control(std::uint64_t octets) {
  constexpr std::uint64_t each = 0x0101010101010101;
  const std::uint64_t no_delete = octets ^ (each * 0x7f);
  const std::uint64_t below_space = (octets - each * 0x20) & ~octets;
  const std::uint64_t is_delete = (no_delete - each) & ~no_delete;
  return ((below_space | is_delete) & (each * 0x80)) != 0;
}

// skip() for class_value, which is most of a head: eight octets at a time until a control comes.
inline const char* skip_value(const char* from, const char* end) {
  while (from != end) {
    std::uint64_t octets = 0;
    while (end - from >= 8 && (std::memcpy(&octets, from, 8), !has_control(octets))) {
      from += 8;
    }
    const char* const stop = end - from > 8 ? from + 8 : end;
    from = skip(class_value, from, stop);
    if (from != stop) {
      break;
    }
  }
  return from;
}

constexpr bool is_all(character_class wanted, std::string_view text) {
  return skip(wanted, text.data(), text.data() + text.size()) == text.data() + text.size();
}

constexpr bool is_token(std::string_view text) {
  return !text.empty() && is_all(class_token, text);
}

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

// Compares without case, for ASCII only: no locale, no Unicode folding.
constexpr bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) {
      return false;
    }
  }
  return true;
}

// Without the optional whitespace (SP, HTAB) at both ends, RFC 9110 section 5.6.3.
constexpr std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

// Takes the next member off a comma-separated list (RFC 9110 section 5.6.1); empty members are
// returned as such. Lists whose members may be quoted strings are not for this.
constexpr std::string_view take_member(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view member = trim_blanks(list.substr(0, comma));
  list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  return member;
}

}  // namespace bulkhead::protocol
