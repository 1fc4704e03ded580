// Dates for the Date field. No clock in here: the caller asks its own and caches the result.
#pragma once

#include <array>
#include <cstddef>
#include <ctime>

namespace bulkhead::protocol {

inline constexpr std::size_t date_bytes = 29;

// IMF-fixdate, RFC 9110 section 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT", without a terminating NUL.
// `seconds` are since 1970-01-01 UTC, within the years 1970 to 9999; others are clamped to them.
std::array<char, date_bytes> format_date(std::time_t seconds);

}  // namespace bulkhead::protocol
