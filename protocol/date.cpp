#include "protocol/date.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace bulkhead::protocol {

namespace {

constexpr std::string_view weekdays = "ThuFriSatSunMonTueWed";  // day 0 was a Thursday
constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::int64_t last_second = 253402300799;  // 9999-12-31T23:59:59Z

struct civil {
  unsigned year;
  unsigned month;  // from 0
  unsigned day;    // from 1
};

// Days since 1970-01-01 to a date of the Gregorian calendar. Years are counted from 1 March, so
// that the leap day is the last of its year; 146097 days make 400 years.
constexpr civil civil_of(unsigned days) {
  const unsigned shifted = days + 719468;
  const unsigned era = shifted / 146097;
  const unsigned day_of_era = shifted % 146097;
  const unsigned year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const unsigned day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned march_month = (5 * day_of_year + 2) / 153;
  const unsigned day = day_of_year - (153 * march_month + 2) / 5 + 1;
  const unsigned month = (march_month + 2) % 12;
  return {era * 400 + year_of_era + (month < 2 ? 1 : 0), month, day};
}

char* put(char* to, std::string_view text) {
  return std::copy(text.begin(), text.end(), to);
}

char* put(char* to, unsigned number, int digits) {
  for (int i = digits; i-- > 0; number /= 10) {
    to[i] = static_cast<char>('0' + number % 10);
  }
  return to + digits;
}

}  // namespace

std::array<char, date_bytes> format_date(std::time_t seconds) {
  const auto now = std::clamp<std::int64_t>(seconds, 0, last_second);
  const auto days = static_cast<unsigned>(now / 86400);
  const auto second = static_cast<unsigned>(now % 86400);
  const civil date = civil_of(days);

  std::array<char, date_bytes> text;
  char* to = put(text.data(), weekdays.substr(days % 7 * 3, 3));
  to = put(put(to, ", "), date.day, 2);
  to = put(put(put(to, " "), months.substr(date.month * 3, 3)), " ");
  to = put(put(to, date.year, 4), " ");
  to = put(put(to, second / 3600, 2), ":");
  to = put(put(to, second / 60 % 60, 2), ":");
  put(put(to, second % 60, 2), " GMT");
  return text;
}

}  // namespace bulkhead::protocol
