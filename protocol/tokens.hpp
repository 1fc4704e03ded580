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
inline constexpr character_class class_plain_name = 128;  // class_reg_name without percent signs

namespace detail {

constexpr bool is_one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

constexpr character_class classify(unsigned octet) {
  const char c = static_cast<char>(octet);
  const bool digit = octet >= '0' && octet <= '9';
  const bool letter = (octet >= 'a' && octet <= 'z') || (octet >= 'A' && octet <= 'Z');
  const bool unreserved = digit || letter || (octet != 0 && is_one_of(c, "-._~"));
  const bool in_plain_name = unreserved || (octet != 0 && is_one_of(c, "!$&'()*+,;="));
  const bool in_name = in_plain_name || octet == '%';
  const bool in_path = in_name || (octet != 0 && is_one_of(c, ":@/"));
  unsigned bits = 0;
  bits |= digit || letter || (octet != 0 && is_one_of(c, "!#$%&'*+-.^_`|~")) ? class_token : 0u;
  bits |= (octet >= 0x20 && octet != 0x7f) || octet == '\t' ? class_value : 0u;
  bits |= in_path ? class_path : 0u;
  bits |= in_path || (octet != 0 && is_one_of(c, "?[]")) ? class_target : 0u;
  bits |= in_plain_name ? class_plain_name : 0u;
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

// Looks at four octets without a branch between: texts are mostly in order.
constexpr bool is_all(character_class wanted, std::string_view text) {
  const auto classes = [text](std::size_t at) {
    return character_classes[static_cast<unsigned char>(text[at])];
  };
  unsigned common = wanted;
  std::size_t at = 0;
  for (; text.size() - at >= 4; at += 4) {
    common &= static_cast<unsigned>(classes(at) & classes(at + 1)) &
              static_cast<unsigned>(classes(at + 2) & classes(at + 3));
  }
  for (; at < text.size(); ++at) {
    common &= classes(at);
  }
  return common != 0;
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

// lower() of eight octets at once.
constexpr std::uint64_t lower(std::uint64_t octets) {
  constexpr std::uint64_t each = 0x0101010101010101;
  const std::uint64_t low_bits = octets & (each * 0x7f);
  const std::uint64_t from_a = low_bits + each * (0x80 - 'A');  // the top bits say: 'A' or above
  const std::uint64_t above_z = low_bits + each * (0x80 - 'Z' - 1);
  return octets | ((from_a & ~above_z & ~octets & (each * 0x80)) >> 2);
}

// Four to eight octets as one number, each at least once.
inline std::uint64_t load_word(const char* from, std::size_t size) {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::memcpy(&first, from, 4);
  std::memcpy(&last, from + size - 4, 4);
  return first | std::uint64_t{last} << 32;
}

// Compares without case, for ASCII only: no locale, no Unicode folding.
inline bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  std::size_t at = 0;
  for (; a.size() - at > 8; at += 8) {
    if (lower(load_word(a.data() + at, 8)) != lower(load_word(b.data() + at, 8))) {
      return false;
    }
  }
  const std::size_t left = a.size() - at;
  if (left >= 4) {
    return lower(load_word(a.data() + at, left)) == lower(load_word(b.data() + at, left));
  }
  for (; at < a.size(); ++at) {
    if (lower(a[at]) != lower(b[at])) {
      return false;
    }
  }
  return true;
}

// same_word() with a word known in advance, in lower case, of letters, digits and hyphens and at
// least four octets. The text has no controls, which `| 0x20` would take for digits and hyphens.
template <std::size_t N>
[[gnu::always_inline]] inline bool is_word(std::string_view text, const char (&word)[N]) {
  constexpr std::size_t size = N - 1;
  constexpr std::uint64_t lower_case = 0x2020202020202020;
  static_assert(size >= 4);
  if (text.size() != size) {
    return false;
  }
  for (std::size_t at = 0; at < size; at += 8) {
    const std::size_t from = size > 8 && at + 8 > size ? size - 8 : at;
    const std::size_t bytes = size < 8 ? size : 8;
    if ((load_word(text.data() + from, bytes) | lower_case) != load_word(word + from, bytes)) {
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
