// Numbers as text, without allocation.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bulkhead::protocol {

struct digits {
  std::array<char, 20> text;  // UINT64_MAX has 20
  std::size_t count;

  std::string_view view() const { return {text.data(), count}; }
};

inline digits digits_of(std::uint64_t number, int base = 10) {
  digits result;
  char* const begin = result.text.data();
  const auto end = std::to_chars(begin, begin + result.text.size(), number, base).ptr;
  result.count = static_cast<std::size_t>(end - begin);
  return result;
}

}  // namespace bulkhead::protocol
