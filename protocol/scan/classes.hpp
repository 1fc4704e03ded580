// Character classes as pairs of tables of 16, for instructions that look 16 octets up at once.
//
// An octet is in a class when the entries of its two halves have a bit in common: one bit for each
// upper half from 2 to 7. No octet from 0x80 up is in any class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

struct half_tables {
  std::array<std::uint8_t, 16> lower{};
  std::array<std::uint8_t, 16> upper{};
};

enum class part : std::uint8_t { path, query };

// What a part of a target may hold besides percent signs, which need another look.
constexpr half_tables tables_of(part wanted) {
  half_tables tables;
  for (unsigned octet = 0x20; octet < 0x80; ++octet) {
    const char c = static_cast<char>(octet);
    const auto row = static_cast<std::uint8_t>(1u << (octet >> 4));
    tables.upper[octet >> 4] = row;
    if ((is(class_path, c) && c != '%') || (c == '?' && wanted == part::query)) {
      tables.lower[octet & 15] |= row;
    }
  }
  return tables;
}

// Tokens, and the control octets that no head may have: HTAB, CR and LF are neither. Three bits
// tell the controls: 0x00 to 0x1f by two of them, 0x7f by the third. That leaves five for the six
// rows of tokens: the row from 0x60 has all octets, and "either of 0x30 and 0x40" covers those.
inline constexpr std::uint8_t control_bits = 0xe0;

constexpr half_tables token_and_control_tables() {
  constexpr std::array<std::uint8_t, 8> row_bits{0x20, 0x40, 1, 2, 4, 8, 0, 16};
  half_tables tables;
  for (unsigned octet = 0; octet < 0x80; ++octet) {
    const char c = static_cast<char>(octet);
    const std::uint8_t row = row_bits[octet >> 4];
    const bool is_control = octet < 0x20 && c != '\t' && c != '\r' && c != '\n';
    tables.upper[octet >> 4] |= row;
    if (is_control || is(class_token, c)) {
      tables.lower[octet & 15] |= row;
    }
  }
  tables.upper[6] = 2 | 4;
  tables.upper[7] |= 0x80;
  tables.lower[15] |= 0x80;
  return tables;
}

constexpr bool are_right(const half_tables& tables) {
  for (unsigned octet = 0; octet < 0x80; ++octet) {
    const char c = static_cast<char>(octet);
    const unsigned bits = tables.lower[octet & 15] & tables.upper[octet >> 4];
    if (((bits & control_bits) != 0) == (is(class_value, c) || c == '\r' || c == '\n') ||
        ((bits & (0xffu ^ control_bits)) != 0) != is(class_token, c)) {
      return false;
    }
  }
  return true;
}

static_assert(are_right(token_and_control_tables()));

}  // namespace bulkhead::protocol
