#include "protocol/range.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace bulkhead::protocol;

namespace {

// "0+5 9+1": first octet and length of each range; or why there is none.
std::string selected(std::string_view field, std::uint64_t size = 10) {
  const auto found = select_ranges(field, size);
  switch (found.what()) {
    case range_selection::kind::whole:
      CHECK(found.ranges().empty());
      return "whole";
    case range_selection::kind::unsatisfiable:
      CHECK(found.ranges().empty());
      return "unsatisfiable";
    case range_selection::kind::part:
      break;
  }
  std::string text;
  for (const auto& range : found.ranges()) {
    text +=
        (text.empty() ? "" : " ") + std::to_string(range.first) + "+" + std::to_string(range.bytes);
  }
  return text;
}

}  // namespace

TEST_CASE("range selects what lies inside the representation", "[protocol][rfc9110-14.1.2][B142]") {
  CHECK(selected("bytes=0-0") == "0+1");
  CHECK(selected("bytes=0-4") == "0+5");
  CHECK(selected("bytes=4-") == "4+6");
  CHECK(selected("bytes=9-9") == "9+1");
  CHECK(selected("bytes=0-9") == "0+10");
  CHECK(selected("bytes=5-999") == "5+5");
  CHECK(selected("bytes=-3") == "7+3");
  CHECK(selected("bytes=-10") == "0+10");
  CHECK(selected("bytes=-11") == "0+10");
  CHECK(selected("BYTES=1-2") == "1+2");
}

TEST_CASE("range is unsatisfiable when all of it lies behind the end",
          "[protocol][rfc9110-14.1.2][B142]") {
  CHECK(selected("bytes=10-") == "unsatisfiable");
  CHECK(selected("bytes=999999999-") == "unsatisfiable");
  CHECK(selected("bytes=-0") == "unsatisfiable");
  CHECK(selected("bytes=10-11, 20-, -0") == "unsatisfiable");
  CHECK(selected("bytes=10-, 1-2") == "1+2");
}

TEST_CASE("range ignores a field that breaks the grammar", "[protocol][rfc9110-14.2][B142]") {
  for (const std::string_view field :
       {"",           "bytes",       "bytes=",        "bytes=,",      "bytes= , ",  "bytes=-",
        "bytes=5",    "bytes=5-2",   "bytes=a-2",     "bytes=1-b",    "bytes=1-2x", "bytes=+1-2",
        "bytes=1--2", "bytes=--2",   "bytes=1 -2",    "bytes=0x1-2",  "bytes 1-2",  "bytes =1-2",
        "lines=1-2",  "bytes=1-2,x", "bytes=10-,5-2", "bytes=1-2;3-4"}) {
    INFO(field);
    CHECK(selected(field) == "whole");
  }
}

TEST_CASE("range keeps the order and skips empty members", "[protocol][rfc9110-5.6.1]") {
  CHECK(selected("bytes=0-0,-1") == "0+1 9+1");
  CHECK(selected("bytes=8-8, ,\t2-3 ,") == "8+1 2+2");
  CHECK(selected("bytes= 1-2") == "1+2");
}

TEST_CASE("range understands numbers of any length", "[protocol][B142]") {
  CHECK(selected("bytes=1-18446744073709551615") == "1+9");
  CHECK(selected("bytes=1-18446744073709551616") == "1+9");
  CHECK(selected("bytes=1-" + std::string(5000, '9')) == "1+9");
  CHECK(selected("bytes=" + std::string(5000, '9') + "-") == "unsatisfiable");
  CHECK(selected("bytes=-99999999999999999999999") == "0+10");
  CHECK(selected("bytes=" + std::string(5000, '0') + "1-2") == "1+2");
  constexpr std::uint64_t large = 0x7fff'ffff'ffff'ffff;
  CHECK(selected("bytes=-1", large) == std::to_string(large - 1) + "+1");
}

TEST_CASE("range is whole when it asks for too many or for the same twice",
          "[protocol][rfc9110-14.2][B142]") {
  CHECK(selected("bytes=0-1,1-2") == "whole");
  CHECK(selected("bytes=0-,-1") == "whole");
  CHECK(selected("bytes=0-4,5-9") == "0+5 5+5");
  std::string field = "bytes=";
  for (std::size_t i = 0; i < range_selection::ranges_max; ++i) {
    field += std::to_string(2 * i) + "-" + std::to_string(2 * i) + ",";
  }
  CHECK(select_ranges(field, 1000).ranges().size() == range_selection::ranges_max);
  CHECK(selected(field + "900-", 1000) == "whole");
}

TEST_CASE("range of nothing is whole", "[protocol][rfc9110-14.2][B142]") {
  CHECK(selected("bytes=0-", 0) == "whole");
  CHECK(selected("bytes=-5", 0) == "whole");
}
