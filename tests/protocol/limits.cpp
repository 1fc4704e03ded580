#include "protocol/limits.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace bulkhead::protocol;

namespace {

template <class Value>
std::string fault_of(Value limits::*setting, Value value) {
  limits chosen;
  chosen.*setting = value;
  const char* const fault = check(chosen);
  return fault == nullptr ? "" : fault;
}

}  // namespace

TEST_CASE("limits have defaults that work", "[protocol]") {
  CHECK(check(limits{}) == nullptr);
}

TEST_CASE("limits name the setting that can not work", "[protocol]") {
  using Catch::StartsWith;
  CHECK_THAT(fault_of(&limits::head_bytes_max, std::size_t{65537}), StartsWith("head_bytes_max"));
  CHECK_THAT(fault_of(&limits::head_bytes_max, std::size_t{63}), StartsWith("head_bytes_max"));
  CHECK_THAT(fault_of(&limits::request_line_bytes_max, std::size_t{65537}),
             StartsWith("request_line_bytes_max"));
  CHECK_THAT(fault_of(&limits::request_line_bytes_max, std::size_t{15}),
             StartsWith("request_line_bytes_max"));
  CHECK_THAT(fault_of(&limits::fields_max, std::size_t{0}), StartsWith("fields_max"));
  CHECK_THAT(fault_of(&limits::fields_max, std::size_t{16385}), StartsWith("fields_max"));
  CHECK_THAT(fault_of(&limits::field_name_bytes_max, std::size_t{16}),
             StartsWith("field_name_bytes_max"));
  CHECK_THAT(fault_of(&limits::chunk_extension_bytes_max, std::size_t{1} << 31),
             StartsWith("chunk_extension_bytes_max"));
  CHECK_THAT(fault_of(&limits::trailer_bytes_max, std::size_t{1}), StartsWith("trailer_bytes_max"));
  CHECK_THAT(fault_of(&limits::trailer_fields_max, std::size_t{16385}),
             StartsWith("trailer_fields_max"));
  CHECK_THAT(fault_of(&limits::content_bytes_max, content_bytes_cap + 1),
             StartsWith("content_bytes_max"));
  CHECK_THAT(fault_of(&limits::leading_empty_lines_max, std::size_t{101}),
             StartsWith("leading_empty_lines_max"));
  CHECK_THAT(fault_of(&limits::interim_responses_max, std::size_t{256}),
             StartsWith("interim_responses_max"));
}
