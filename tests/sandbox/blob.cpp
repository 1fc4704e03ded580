// BLOB.md: what is written is read again, and nothing else is taken.
#include "sandbox/blob.hpp"

#include <catch2/catch.hpp>

#include "sandbox/bulkhead_guest.hpp"

namespace {

using namespace bulkhead::sandbox;

std::string sample() {
  std::string blob;
  blob_writer writer(blob, 201);
  writer.field("content-type", "text/plain").field("x", "");
  REQUIRE(writer.finish("hello"));
  return blob;
}

blob_error error_of(const std::string& blob) {
  blob_view view;
  return blob_view::read(blob, view);
}

std::string with(std::string blob, std::size_t offset, std::uint32_t value) {
  bulkhead_put_u32(reinterpret_cast<std::uint8_t*>(blob.data()) + offset, value);
  return blob;
}

TEST_CASE("a blob is read as it was written", "[sandbox][blob]") {
  const auto blob = sample();
  blob_view view;
  REQUIRE(blob_view::read(blob, view) == blob_error::none);
  CHECK(view.code() == 201);
  CHECK(view.field_count() == 2);
  CHECK(view.find("content-type") == "text/plain");
  CHECK(view.find("x").empty());
  CHECK(view.find("absent").empty());
  CHECK(view.content() == "hello");
}

TEST_CASE("a guest writes the same octets as the server", "[sandbox][blob]") {
  std::uint8_t room[256];
  bulkhead::guest::response to(room, sizeof room);
  to.status(201).field("content-type", "text/plain").field("x", "").content("hel").content("lo");
  const auto bytes = to.finish();
  REQUIRE(bytes > 0);
  CHECK(std::string(reinterpret_cast<char*>(room), static_cast<std::size_t>(bytes)) == sample());

  const auto blob = sample();
  const bulkhead::guest::request from(reinterpret_cast<const std::uint8_t*>(blob.data()));
  CHECK(from.content() == "hello");
  CHECK(from.field("content-type") == "text/plain");
  std::string names;
  from.each_field([&](auto name, auto) { names.append(name).append(" "); });
  CHECK(names == "content-type x ");
}

TEST_CASE("a guest's response that does not fit says so at its end", "[sandbox][blob]") {
  std::uint8_t room[64];
  for (std::uint32_t bytes = 0; bytes <= sizeof room; ++bytes) {
    bulkhead::guest::response to(room, bytes);
    to.field("name", "value").content("content");
    const bool fits = bytes >= 24 + 8 + 9 + 7;
    CHECK((to.finish() > 0) == fits);
  }
  bulkhead::guest::response late(room, sizeof room);
  CHECK(late.content("content").field("too", "late").finish() == BULKHEAD_TOO_LARGE);
}

TEST_CASE("a blob that was cut anywhere is refused", "[sandbox][blob]") {
  const auto blob = sample();
  for (std::size_t bytes = 0; bytes < blob.size(); ++bytes)
    CHECK(error_of(blob.substr(0, bytes)) != blob_error::none);
  CHECK(error_of(blob + "x") == blob_error::bad_length);
}

TEST_CASE("a blob whose numbers disagree is refused", "[sandbox][blob]") {
  const auto blob = sample();
  CHECK(error_of(with(blob, 0, 0x32424842)) == blob_error::bad_magic);
  CHECK(error_of(with(blob, 4, 0)) == blob_error::bad_length);
  CHECK(error_of(with(blob, 8, 1000)) == blob_error::bad_code);
  CHECK(error_of(with(blob, 12, 1)) == blob_error::bad_fields);
  CHECK(error_of(with(blob, 12, 3)) == blob_error::bad_fields);
  CHECK(error_of(with(blob, 12, 257)) == blob_error::too_many_fields);
  CHECK(error_of(with(blob, 16, 23)) == blob_error::bad_length);
  CHECK(error_of(with(blob, 16, 0xffffffff)) == blob_error::bad_length);
  CHECK(error_of(with(blob, 20, 0xffffffff)) == blob_error::bad_length);
  CHECK(error_of(with(blob, 24, 257)) == blob_error::field_too_long);
  CHECK(error_of(with(blob, 28, 64 * 1024 + 1)) == blob_error::field_too_long);
  CHECK(error_of(with(blob, 28, 1000)) == blob_error::bad_fields);
}

TEST_CASE("a blob's bounds hold at their edges", "[sandbox][blob]") {
  for (const std::size_t excess : {0u, 1u}) {
    std::string blob;
    blob_writer names(blob);
    names.field(std::string(blob_bounds::name_bytes_max + excess, 'n'), "v");
    CHECK(names.finish({}) == (excess == 0));
    blob_writer values(blob);
    values.field("n", std::string(blob_bounds::value_bytes_max + excess, 'v'));
    CHECK(values.finish({}) == (excess == 0));
    blob_writer many(blob);
    for (std::size_t i = 0; i < blob_bounds::fields_max + excess; ++i) many.field("n", "v");
    CHECK(many.finish({}) == (excess == 0));
    blob_writer codes(blob, blob_bounds::code_max + static_cast<std::uint32_t>(excess));
    CHECK(codes.finish({}) == (excess == 0));
  }
}

}  // namespace
