// What rows of the tables of settings are made of.
#pragma once

#include <type_traits>

#include "actors/cli/printable.hpp"
#include "actors/cli/settings.hpp"

namespace bulkhead::cli {

constexpr std::uint64_t mib = 1024 * 1024;
constexpr std::uint64_t gib = 1024 * mib;
constexpr number_range deadline_ms{1, 24ull * 3600 * 1000};

inline std::uint64_t as_number(std::chrono::milliseconds value) {
  return static_cast<std::uint64_t>(value.count());
}
template <class Integer>
inline std::uint64_t as_number(Integer value) {
  return value;
}

// `Where` gives the member of a config, const or not.
template <class Where>
constexpr number_setting number(number_range range, Where) {
  return {[](const config& in) { return as_number(Where{}(in)); },
          [](config& in, std::uint64_t value) {
            auto& target = Where{}(in);
            target = static_cast<std::remove_reference_t<decltype(target)>>(value);
          },
          range};
}

inline std::optional<std::string> control_fault(std::string_view text) {
  for (const char c : text)
    if (is_control(c)) return "has a control character";
  return std::nullopt;
}

}  // namespace bulkhead::cli
