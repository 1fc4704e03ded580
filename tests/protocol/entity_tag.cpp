#include "protocol/entity_tag.hpp"

#include <catch2/catch.hpp>

using namespace bulkhead::protocol;

namespace {

const entity_tag strong{"\"a\"", false};
const entity_tag weak{"\"a\"", true};

bool matches(std::string_view list, const entity_tag& current = strong) {
  return list_matches(list, current, tag_comparison::weak);
}

}  // namespace

TEST_CASE("entity_tag reads strong and weak tags", "[protocol][rfc9110-8.8.3]") {
  CHECK(parse_entity_tag("\"\"")->opaque == "\"\"");
  CHECK(parse_entity_tag("\"a,b\xff\"")->opaque == "\"a,b\xff\"");
  CHECK_FALSE(parse_entity_tag("\"a\"")->weak);
  CHECK(parse_entity_tag("W/\"a\"")->weak);
  for (const std::string_view text :
       {"", "a", "\"", "\"a", "a\"", "w/\"a\"", "W/a", "W/", "\"a b\"", "\"a\"b", "\"a\x7f\""}) {
    INFO(text);
    CHECK_FALSE(parse_entity_tag(text).has_value());
  }
}

TEST_CASE("entity_tag compares strongly only without weak tags", "[protocol][rfc9110-8.8.3.2]") {
  CHECK(strong.strongly_equals(strong));
  CHECK_FALSE(strong.strongly_equals(weak));
  CHECK_FALSE(weak.strongly_equals(weak));
  CHECK(weak.weakly_equals(strong));
  CHECK_FALSE(strong.weakly_equals({"\"b\"", false}));
}

TEST_CASE("entity_tag lists match by any member", "[protocol][rfc9110-13.1.2]") {
  CHECK(matches("*"));
  CHECK(matches("\"a\""));
  CHECK(matches("W/\"a\""));
  CHECK(matches("\"b,\", \"a\""));
  CHECK(matches(",, \"b\",\t\"a\" ,"));
  CHECK_FALSE(matches(""));
  CHECK_FALSE(matches(","));
  CHECK_FALSE(matches("\"b\", W/\"c\""));
  CHECK_FALSE(matches("a"));
  CHECK_FALSE(matches("\"b\" x, \"a\""));
  CHECK_FALSE(matches("\"a\"\"a\""));
  CHECK_FALSE(list_matches("W/\"a\"", strong, tag_comparison::strong));
  CHECK(list_matches("W/\"a\", \"a\"", strong, tag_comparison::strong));
}
