// Reads the dates that fields hold, RFC 9110 section 5.6.7.
#pragma once

#include <ctime>
#include <optional>
#include <string_view>

namespace bulkhead::protocol {

// Seconds since 1970-01-01 UTC of an IMF-fixdate, an RFC 850 date or an asctime date; nothing for
// any other text, a date that no calendar has, or one before 1970. Compared with their case, as the
// grammar wants; the name of the day need not be the right one. `now`, in the same unit, decides on
// the century of a year with two digits: it lies at most 50 years ahead.
std::optional<std::time_t> parse_date(std::string_view text, std::time_t now);

}  // namespace bulkhead::protocol
