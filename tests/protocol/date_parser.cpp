#include "protocol/date_parser.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "protocol/date.hpp"

using namespace bulkhead::protocol;

namespace {

constexpr std::time_t in_2026 = 1'790'000'000;

}  // namespace

TEST_CASE("date_parser reads the three forms of a date", "[protocol][rfc9110-5.6.7]") {
  CHECK(parse_date("Sun, 06 Nov 1994 08:49:37 GMT", in_2026) == 784111777);
  CHECK(parse_date("Sunday, 06-Nov-94 08:49:37 GMT", in_2026) == 784111777);
  CHECK(parse_date("Sun Nov  6 08:49:37 1994", in_2026) == 784111777);
  CHECK(parse_date("Wed Nov 16 08:49:37 1994", in_2026) == 784111777 + 10 * 86400);
  CHECK(parse_date("Thu, 01 Jan 1970 00:00:00 GMT", in_2026) == 0);
  CHECK(parse_date("Fri, 31 Dec 9999 23:59:59 GMT", in_2026) == 253402300799);
  CHECK(parse_date("Sat, 31 Dec 2016 23:59:60 GMT", in_2026) == 1483228800);
}

TEST_CASE("date_parser reads back what format_date writes", "[protocol]") {
  for (std::time_t seconds = 0; seconds < 13'000'000'000; seconds += 86'400 * 29 + 3'599) {
    const auto text = format_date(seconds);
    if (parse_date({text.data(), text.size()}, in_2026) != seconds) {
      FAIL(std::string(text.data(), text.size()));
    }
  }
}

TEST_CASE("date_parser takes a year with two digits for at most 50 years ahead",
          "[protocol][rfc9110-5.6.7]") {
  const auto year_of = [](const std::string& digits) {
    const auto found = parse_date("Monday, 01-Jan-" + digits + " 00:00:00 GMT", in_2026);
    if (!found) return std::string("none");
    const auto text = format_date(*found);
    return std::string(text.data() + 12, 4);
  };
  CHECK(year_of("26") == "2026");
  CHECK(year_of("76") == "2076");
  CHECK(year_of("77") == "1977");
  CHECK(year_of("99") == "1999");
  CHECK(year_of("00") == "2000");
}

TEST_CASE("date_parser refuses everything else", "[protocol][rfc9110-5.6.7]") {
  for (const std::string_view text : {"",
                                      "0",
                                      "784111777",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sun, 06 Nov 1994 08:49:37 UTC",
                                      "Sun, 06 Nov 1994 08:49:37 GMT ",
                                      " Sun, 06 Nov 1994 08:49:37 GMT",
                                      "sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 6 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 94 08:49:37 GMT",
                                      "Sun, 31 Feb 1994 08:49:37 GMT",
                                      "Sun, 00 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 24:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:60:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:61 GMT",
                                      "Sun, 06 Nov 1969 08:49:37 GMT",
                                      "Sun, 06 Xxx 1994 08:49:37 GMT",
                                      "Sun, -6 Nov 1994 08:49:37 GMT",
                                      "Sunday, 06-Nov-1994 08:49:37 GMT",
                                      "Sun Nov 6 08:49:37 1994",
                                      "Sun Nov  6 08:49:37 1994 GMT",
                                      "Sun Nov  6 8:49:37 1994"}) {
    INFO(text);
    CHECK_FALSE(parse_date(text, in_2026).has_value());
  }
}
