#include "protocol/target.hpp"

#include "tests/protocol/support.hpp"

using namespace bulkhead::protocol;

namespace {

error refusal(std::string_view target, method known = method::get) {
  target_parts parts;
  return parse_target(target, known, parts);
}

target_parts parts_of(std::string_view target, method known = method::get) {
  target_parts parts;
  INFO(target);
  CHECK(parse_target(target, known, parts) == error::none);
  return parts;
}

}  // namespace

TEST_CASE("target splits origin-form into path and query", "[protocol][rfc9112-3.2.1]") {
  CHECK(parts_of("/").path == "/");
  CHECK_FALSE(parts_of("/").has_query);
  CHECK(parts_of("/a/b;c=1,2/@:!$&'()*+").path == "/a/b;c=1,2/@:!$&'()*+");
  const target_parts parts = parts_of("/p?a=1&b=?/:@");
  CHECK(parts.form == target_form::origin);
  CHECK(parts.path == "/p");
  CHECK(parts.has_query);
  CHECK(parts.query == "a=1&b=?/:@");
  CHECK(parts_of("/p?").has_query);
  CHECK(parts_of("/p?").query.empty());
}

TEST_CASE("target keeps what is percent-encoded as it is", "[protocol][rfc3986-2.1]") {
  CHECK(parts_of("/x%2f..%2Fy%00").path == "/x%2f..%2Fy%00");
  for (const char* bad : {"/%", "/a%", "/a%4", "/%zz", "/%4g", "/?%", "/?a=%z1", "/%%41"}) {
    INFO(bad);
    CHECK(refusal(bad) == error::bad_percent_escape);
  }
}

TEST_CASE("target refuses characters that no URI has", "[protocol][rfc3986-2]") {
  for (const char* bad :
       {"/a b", "/a\\b", "/<a>", "/{a}",  "/a|b",  "/a`b",      "/a^b", "/\"", "/a#b", "/a?b#c",
        "/[",   "/a]",   "/?[",  "/\x01", "/\x7f", "/\xc3\xb8", "a",    "?a",  "a/b",  ""}) {
    INFO(bad);
    CHECK(refusal(bad) == error::bad_target);
  }
}

TEST_CASE("target takes absolute-form apart", "[protocol][rfc9112-3.2.2]") {
  const target_parts parts = parts_of("HTTP://A.example:81/p/q?r");
  CHECK(parts.form == target_form::absolute);
  CHECK(parts.authority == "A.example:81");
  CHECK(parts.path == "/p/q");
  CHECK(parts.query == "r");
  CHECK(parts_of("https://[::1]").authority == "[::1]");
  CHECK(parts_of("http://a").path.empty());
  CHECK(parts_of("http://a?q").query == "q");
}

TEST_CASE("target refuses an absolute-form without a sound host", "[protocol][rfc9110-4.2.1]") {
  for (const char* bad : {"http:///p", "http://:80/p", "http://u@a/p", "http://a:8o/",
                          "http://[::1/", "http://?q", "http://a:99999/"}) {
    INFO(bad);
    CHECK(refusal(bad) == error::bad_host);
  }
  for (const char* bad :
       {"http:/p", "http://", "http:", "ftp://a/", "//a/b c", "urn:a", "http//a"}) {
    INFO(bad);
    CHECK(refusal(bad) == error::bad_target);
  }
}

TEST_CASE("target ties authority-form to CONNECT", "[protocol][rfc9112-3.2.3]") {
  CHECK(parts_of("a:443", method::connect).authority == "a:443");
  CHECK(parts_of("a:443", method::connect).form == target_form::authority);
  for (const char* bad : {"/", "*", "http://a/", "a", "a:", "a:99999"}) {
    INFO(bad);
    CHECK(refusal(bad, method::connect) == error::bad_target_form);
  }
  CHECK(refusal("a:443", method::get) == error::bad_target);
}

TEST_CASE("target ties asterisk-form to OPTIONS", "[protocol][rfc9112-3.2.4]") {
  CHECK(parts_of("*", method::options).form == target_form::asterisk);
  CHECK(parts_of("/", method::options).form == target_form::origin);
  CHECK(refusal("*", method::get) == error::bad_target_form);
  CHECK(refusal("*", method::unknown) == error::bad_target_form);
  CHECK(refusal("*x", method::options) == error::bad_target);
}
