#include "protocol/date.hpp"

#include <catch2/catch.hpp>
#include <ctime>
#include <string>

using namespace bulkhead::protocol;

namespace {

std::string text_of(std::time_t seconds) {
  const auto text = format_date(seconds);
  return {text.data(), text.size()};
}

// What the C library says about the same second.
std::string reference(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace

TEST_CASE("date writes an IMF-fixdate", "[protocol][rfc9110-5.6.7]") {
  CHECK(text_of(784111777) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(text_of(0) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(text_of(951782400) == "Tue, 29 Feb 2000 00:00:00 GMT");
  CHECK(text_of(4107542400) == "Mon, 01 Mar 2100 00:00:00 GMT");
}

TEST_CASE("date agrees with the C library", "[protocol]") {
  for (std::time_t seconds = 0; seconds < 13'000'000'000; seconds += 86'400 * 13 + 3'599) {
    if (text_of(seconds) != reference(seconds)) {
      CHECK(text_of(seconds) == reference(seconds));
    }
  }
}

TEST_CASE("date clamps what four digits can not hold", "[protocol]") {
  CHECK(text_of(-1) == "Thu, 01 Jan 1970 00:00:00 GMT");
  CHECK(text_of(253402300799) == "Fri, 31 Dec 9999 23:59:59 GMT");
  CHECK(text_of(253402300800) == "Fri, 31 Dec 9999 23:59:59 GMT");
}
