// What the error log is told of strangers' words.
#include "actors/describe.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace bulkhead::actors;

TEST_CASE("one_line gives any octets as one line of ASCII", "[actors][describe]") {
  CHECK(one_line("plain \\ text") == "plain \\ text");
  CHECK(one_line("a\r\nb\x1b[31m\x7f") == "a  b [31m ");
  CHECK(one_line("\xff caf\xc3\xa9") == "\\xFF caf\\xC3\\xA9");
}

TEST_CASE("describe says what was thrown", "[actors][describe]") {
  CHECK(describe(std::make_exception_ptr(std::runtime_error("a\nb"))) == "a b");
  CHECK(describe(std::make_exception_ptr(42)) == "something that is not a std::exception");
}
