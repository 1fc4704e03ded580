#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bulkhead::cli {

struct number_range {
  std::uint64_t min = 0;
  std::uint64_t max = UINT64_MAX;
};

// Digits only: no sign, no space, no prefix that changes the base. Nothing for what does not fit.
std::optional<std::uint64_t> whole_number(std::string_view text, number_range range);

// What to tell whoever gave such a text: "'abc' is not a whole number from 1 to 256".
std::string not_in(number_range range, std::string_view text);

}  // namespace bulkhead::cli
