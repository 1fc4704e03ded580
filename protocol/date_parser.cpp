#include "protocol/date_parser.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::array<std::string_view, 7> day_names{"Mon", "Tue", "Wed", "Thu",
                                                    "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 7> long_day_names{
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> month_names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr int years_ahead_max = 50;

struct fields_of_date {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
};

// Takes what a date is made of off the front of a text; once something is missing, it has failed.
class date_reader {
 public:
  explicit date_reader(std::string_view text) : rest_(text) {}

  date_reader& literal(std::string_view expected) {
    if (rest_.starts_with(expected)) {
      rest_.remove_prefix(expected.size());
    } else {
      sound_ = false;
    }
    return *this;
  }

  template <std::size_t Count>
  date_reader& one_of(const std::array<std::string_view, Count>& names, unsigned& index) {
    for (index = 0; index < Count; ++index) {
      if (rest_.starts_with(names[index])) {
        rest_.remove_prefix(names[index].size());
        return *this;
      }
    }
    sound_ = false;
    return *this;
  }

  template <class Integer>
  date_reader& digits(std::size_t count, Integer& value) {
    sound_ = sound_ && rest_.size() >= count && is_all(class_digit, rest_.substr(0, count));
    value = 0;
    for (std::size_t i = 0; sound_ && i < count; ++i) {
      value = value * 10 + static_cast<Integer>(rest_[i] - '0');
    }
    rest_.remove_prefix(sound_ ? count : 0);
    return *this;
  }

  date_reader& time(fields_of_date& date) {
    return digits(2, date.hour)
        .literal(":")
        .digits(2, date.minute)
        .literal(":")
        .digits(2, date.second);
  }

  // asctime pads the day with a space.
  date_reader& padded_day(unsigned& day) {
    const bool padded = rest_.starts_with(' ');
    rest_.remove_prefix(padded ? 1 : 0);
    return digits(padded ? 1 : 2, day);
  }

  bool is_complete() const { return sound_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool sound_ = true;
};

bool read_fixdate(std::string_view text, fields_of_date& date) {
  unsigned weekday = 0;
  date_reader reader(text);
  reader.one_of(day_names, weekday).literal(", ").digits(2, date.day).literal(" ");
  reader.one_of(month_names, date.month).literal(" ").digits(4, date.year).literal(" ");
  return reader.time(date).literal(" GMT").is_complete();
}

bool read_rfc850_date(std::string_view text, int this_year, fields_of_date& date) {
  unsigned weekday = 0;
  date_reader reader(text);
  reader.one_of(long_day_names, weekday).literal(", ").digits(2, date.day).literal("-");
  reader.one_of(month_names, date.month).literal("-").digits(2, date.year).literal(" ");
  date.year += this_year - this_year % 100;
  if (date.year > this_year + years_ahead_max) {
    date.year -= 100;
  } else if (date.year <= this_year + years_ahead_max - 100) {
    date.year += 100;
  }
  return reader.time(date).literal(" GMT").is_complete();
}

bool read_asctime_date(std::string_view text, fields_of_date& date) {
  unsigned weekday = 0;
  date_reader reader(text);
  reader.one_of(day_names, weekday).literal(" ").one_of(month_names, date.month).literal(" ");
  reader.padded_day(date.day).literal(" ");
  return reader.time(date).literal(" ").digits(4, date.year).is_complete();
}

int year_of(std::time_t seconds) {
  const auto day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(seconds)));
  return static_cast<int>(std::chrono::year_month_day(day).year());
}

}  // namespace

std::optional<std::time_t> parse_date(std::string_view text, std::time_t now) {
  fields_of_date date;
  if (!read_fixdate(text, date) && !read_rfc850_date(text, year_of(now), date) &&
      !read_asctime_date(text, date)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day day{
      std::chrono::year(date.year), std::chrono::month(date.month + 1), std::chrono::day(date.day)};
  // 60 is a leap second, which the count of seconds does not know: it is the next one.
  if (!day.ok() || date.year < 1970 || date.hour > 23 || date.minute > 59 || date.second > 60) {
    return std::nullopt;
  }
  const std::chrono::sys_seconds second =
      std::chrono::sys_days(day) + std::chrono::hours(date.hour) +
      std::chrono::minutes(date.minute) + std::chrono::seconds(date.second);
  return static_cast<std::time_t>(second.time_since_epoch().count());
}

}  // namespace bulkhead::protocol
