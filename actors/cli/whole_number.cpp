#include "actors/cli/whole_number.hpp"

#include <charconv>

namespace bulkhead::cli {

std::optional<std::uint64_t> whole_number(std::string_view text, number_range range) {
  std::uint64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || at != end) return std::nullopt;
  if (number < range.min || number > range.max) return std::nullopt;
  return number;
}

std::string not_in(number_range range, std::string_view text) {
  return "'" + std::string(text) + "' is not a whole number from " + std::to_string(range.min) +
         " to " + std::to_string(range.max);
}

}  // namespace bulkhead::cli
