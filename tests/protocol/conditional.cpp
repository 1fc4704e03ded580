#include "protocol/conditional.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "protocol/request_parser.hpp"

using namespace bulkhead::protocol;

namespace {

constexpr std::time_t modified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr std::time_t now = 1'790'000'000;
const validators current{{"\"v1\"", false}, modified};

const std::string before = "Sun, 06 Nov 1994 08:49:36 GMT";
const std::string same = "Sun, 06 Nov 1994 08:49:37 GMT";
const std::string after = "Sun, 06 Nov 1994 08:49:38 GMT";

// A request's head, with the field lines that the case is about.
struct request_with {
  explicit request_with(const std::string& lines)
      : text("GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n"), head(limits{}.fields_max) {
    request_parser parser;
    const limits bounds;
    REQUIRE(parser.next(text, bounds, head).kind == event_kind::head);
  }
  std::string text;
  request_head head;
};

std::string outcome(const std::string& lines, method used = method::get) {
  const request_with r(lines);
  switch (evaluate(r.head.fields(), used, current, now)) {
    case precondition::proceed:
      return "proceed";
    case precondition::not_modified:
      return "304";
    case precondition::failed:
      return "412";
  }
  return {};
}

bool heeds_range(const std::string& lines, method used = method::get,
                 const validators& of = current, std::time_t at = now) {
  const request_with r(lines);
  return range_to_heed(r.head.fields(), used, of, at).has_value();
}

const std::string range = "Range: bytes=0-1\r\n";

}  // namespace

TEST_CASE("conditional requests proceed without a condition", "[protocol][rfc9110-13.2.2]") {
  CHECK(outcome("") == "proceed");
}

TEST_CASE("If-Match compares strongly", "[protocol][rfc9110-13.1.1]") {
  CHECK(outcome("If-Match: \"v1\"\r\n") == "proceed");
  CHECK(outcome("If-Match: *\r\n") == "proceed");
  CHECK(outcome("If-Match: \"v0\", \"v1\"\r\n") == "proceed");
  CHECK(outcome("If-Match: \"v0\"\r\nif-match: \"v1\"\r\n") == "proceed");
  CHECK(outcome("If-Match: W/\"v1\"\r\n") == "412");
  CHECK(outcome("If-Match: \"v0\"\r\n") == "412");
  CHECK(outcome("If-Match: v1\r\n") == "412");
}

TEST_CASE("If-None-Match compares weakly", "[protocol][rfc9110-13.1.2]") {
  CHECK(outcome("If-None-Match: \"v1\"\r\n") == "304");
  CHECK(outcome("If-None-Match: W/\"v1\"\r\n") == "304");
  CHECK(outcome("If-None-Match: *\r\n") == "304");
  CHECK(outcome("If-None-Match: \"v1\"\r\n", method::head) == "304");
  CHECK(outcome("If-None-Match: \"v1\"\r\n", method::put) == "412");
  CHECK(outcome("If-None-Match: \"v0\"\r\nIf-None-Match: \"v2\", \"v1\"\r\n") == "304");
  CHECK(outcome("If-None-Match: \"v0\"\r\n") == "proceed");
  CHECK(outcome("If-None-Match: v1\r\n") == "proceed");
}

TEST_CASE("If-Modified-Since is for reading alone", "[protocol][rfc9110-13.1.3]") {
  CHECK(outcome("If-Modified-Since: " + before + "\r\n") == "proceed");
  CHECK(outcome("If-Modified-Since: " + same + "\r\n") == "304");
  CHECK(outcome("If-Modified-Since: " + after + "\r\n") == "304");
  CHECK(outcome("If-Modified-Since: " + same + "\r\n", method::head) == "304");
  CHECK(outcome("If-Modified-Since: " + same + "\r\n", method::post) == "proceed");
  CHECK(outcome("If-Modified-Since: yesterday\r\n") == "proceed");
  CHECK(outcome("If-Modified-Since: " + same + "\r\nIf-Modified-Since: " + same + "\r\n") ==
        "proceed");
}

TEST_CASE("If-Unmodified-Since fails for what is newer", "[protocol][rfc9110-13.1.4]") {
  CHECK(outcome("If-Unmodified-Since: " + before + "\r\n") == "412");
  CHECK(outcome("If-Unmodified-Since: " + same + "\r\n") == "proceed");
  CHECK(outcome("If-Unmodified-Since: " + after + "\r\n") == "proceed");
  CHECK(outcome("If-Unmodified-Since: never\r\n") == "proceed");
}

TEST_CASE("conditions with tags take the place of those with dates", "[protocol][rfc9110-13.2.2]") {
  CHECK(outcome("If-Match: \"v1\"\r\nIf-Unmodified-Since: " + before + "\r\n") == "proceed");
  CHECK(outcome("If-Match: \"v0\"\r\nIf-Unmodified-Since: " + after + "\r\n") == "412");
  CHECK(outcome("If-None-Match: \"v0\"\r\nIf-Modified-Since: " + after + "\r\n") == "proceed");
  CHECK(outcome("If-None-Match: \"v1\"\r\nIf-Modified-Since: " + before + "\r\n") == "304");
  CHECK(outcome("If-Match: \"v0\"\r\nIf-None-Match: \"v1\"\r\n") == "412");
  CHECK(outcome("If-Match: \"v1\"\r\nIf-None-Match: \"v1\"\r\n") == "304");
  CHECK(outcome("If-Unmodified-Since: " + before + "\r\nIf-None-Match: \"v1\"\r\n") == "412");
}

TEST_CASE("Range is for GET and stands once", "[protocol][rfc9110-14.2]") {
  CHECK(heeds_range(range));
  CHECK_FALSE(heeds_range(""));
  CHECK_FALSE(heeds_range(range, method::head));
  CHECK_FALSE(heeds_range(range + range));
}

TEST_CASE("If-Range matches by a strong tag or the very date", "[protocol][rfc9110-13.1.5]") {
  CHECK(heeds_range(range + "If-Range: \"v1\"\r\n"));
  CHECK_FALSE(heeds_range(range + "If-Range: W/\"v1\"\r\n"));
  CHECK_FALSE(heeds_range(range + "If-Range: \"v0\"\r\n"));
  CHECK_FALSE(heeds_range(range + "If-Range: *\r\n"));
  CHECK_FALSE(heeds_range(range + "If-Range: \"v1\"\r\nIf-Range: \"v1\"\r\n"));
  CHECK(heeds_range(range + "If-Range: " + same + "\r\n"));
  CHECK_FALSE(heeds_range(range + "If-Range: " + before + "\r\n"));
  CHECK_FALSE(heeds_range(range + "If-Range: " + after + "\r\n"));
  CHECK_FALSE(heeds_range(range + "If-Range: " + same + "\r\n", method::get, current, modified));
  CHECK(heeds_range(range + "If-Range: " + same + "\r\n", method::get, current, modified + 1));
  CHECK_FALSE(
      heeds_range(range + "If-Range: \"v1\"\r\n", method::get, {{"\"v1\"", true}, modified}));
}
