#include "protocol/utf8.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/protocol/support.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

enum class verdict { good, cut, bad };

verdict check(std::string_view text) {
  return same_for_every_split(text.size(), [&](const pieces& sizes) {
    utf8_checker checker;
    std::size_t at = 0;
    for (const auto size : sizes) {
      if (!checker.take(text.substr(at, size))) return verdict::bad;
      at += size;
    }
    return checker.is_complete() ? verdict::good : verdict::cut;
  });
}

}  // namespace

TEST_CASE("utf8_checker takes every character in its shortest form", "[protocol][rfc3629-4]") {
  for (const char* text :
       {"", "plain text of more than eight octets", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5 and plain text again, and \xe2\x82\xac"}) {
    INFO(text);
    CHECK(check(text) == verdict::good);
  }
  CHECK(check(std::string(1, '\0')) == verdict::good);
}

TEST_CASE("utf8_checker refuses what is overlong or no character", "[protocol][rfc3629-3]") {
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2 ", "\xc2\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff",
        "eight and more\xff", "\xe2\x82 "}) {
    INFO(text);
    CHECK(check(text) == verdict::bad);
  }
}

TEST_CASE("utf8_checker tells a character cut in two", "[protocol]") {
  for (const char* text : {"\xc2", "abc\xe2\x82", "\xf0\x90\x80", "\xed"}) {
    CHECK(check(text) == verdict::cut);
  }
}
