#include "tests/conformance/base64.hpp"

#include <cstdint>
#include <stdexcept>

namespace bulkhead::conformance {

namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::uint32_t value_of(char c) {
  const std::size_t at = alphabet.find(c);
  if (at == std::string_view::npos) {
    throw std::invalid_argument("no base64");
  }
  return static_cast<std::uint32_t>(at);
}

}  // namespace

std::string encode_base64(std::string_view octets) {
  std::string text;
  for (std::size_t at = 0; at < octets.size(); at += 3) {
    const std::string_view group = octets.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::string decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    throw std::invalid_argument("base64 of a wrong length");
  }
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  text.remove_suffix(padding);
  std::string octets;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    bits = (bits << 6 | value_of(c)) & 0xffffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      octets += static_cast<char>(bits >> count & 0xff);
    }
  }
  return octets;
}

}  // namespace bulkhead::conformance
