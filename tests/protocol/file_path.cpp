#include "protocol/file_path.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace bulkhead::protocol;

namespace {

std::string decoded(std::string_view path, dot_files with_dot = dot_files::refused) {
  return to_file_path(path, with_dot).value_or("refused");
}

}  // namespace

TEST_CASE("file_path decodes segments and keeps the last slash", "[protocol][rfc3986-2.1]") {
  CHECK(decoded("") == "");
  CHECK(decoded("a.txt") == "a.txt");
  CHECK(decoded("a/b/") == "a/b/");
  CHECK(decoded("%61%2e%C3%a9/%25") == "a.\xC3\xA9/%");
  CHECK(decoded("a..b/...c/..", dot_files::allowed) == "refused");
  CHECK(decoded("a..b/c...") == "a..b/c...");
  CHECK(decoded("a\\..\\b") == "a\\..\\b");
}

TEST_CASE("file_path refuses what leads elsewhere or is ambiguous", "[protocol][B143]") {
  for (const std::string_view path : {"..",     "../a",     "a/..",
                                      "a/../b", ".",        "./a",
                                      "a/.",    "%2e%2e",   "%2E%2e/etc/passwd",
                                      ".%2e/a", "a/%2e/b",  "/",
                                      "//a",    "a//b",     "a//",
                                      "a%2fb",  "..%2fetc", "%2fetc",
                                      "a%00",   "%00",      "a/b%00.txt"}) {
    INFO(path);
    CHECK(decoded(path, dot_files::allowed) == "refused");
    CHECK(decoded(path) == "refused");
  }
}

TEST_CASE("file_path hides names with a dot in front unless they are allowed", "[protocol]") {
  for (const std::string_view path : {".git", "a/.env", ".a/b", "%2egit", "..."}) {
    INFO(path);
    CHECK(decoded(path) == "refused");
    CHECK(decoded(path, dot_files::allowed) != "refused");
  }
}
