#include "protocol/error.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace bulkhead::protocol;

TEST_CASE("error has a status and a name and a sentence for every reason", "[protocol]") {
  std::set<std::string_view> names;
  for (std::size_t i = 1; i < error_count; ++i) {
    const auto why = static_cast<error>(i);
    INFO(name_of(why));
    CHECK(status_of(why) >= 400);
    CHECK(status_of(why) <= 505);
    CHECK(text_of(why).back() == '.');
    CHECK(names.insert(name_of(why)).second);
  }
}
