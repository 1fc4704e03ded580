#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

#include "actors/input_buffer.hpp"

using bulkhead::actors::input_buffer;

namespace {

void put(input_buffer& buffer, const std::string& bytes) {
  std::ranges::copy(bytes, buffer.room().begin());
  buffer.commit(bytes.size());
}

}  // namespace

TEST_CASE("input_buffer keeps pinned bytes in front of what is read behind them",
          "[actors][buffer]") {
  input_buffer buffer;
  put(buffer, "xxHEADcontent");
  buffer.consume(2);
  buffer.consume(4);
  buffer.pin(4);
  CHECK(buffer.unread() == "content");
  buffer.consume(7);
  CHECK_FALSE(buffer.make_room());
  CHECK(std::string_view(buffer.pinned(), 4) == "HEAD");
  put(buffer, "more");
  CHECK(buffer.unread() == "more");
  CHECK(std::string_view(buffer.pinned(), 4) == "HEAD");
}

TEST_CASE("input_buffer moves pinned and unread bytes together when it runs out of room",
          "[actors][buffer]") {
  input_buffer buffer;
  const std::string filler(input_buffer::initial_bytes - input_buffer::room_bytes_min, '-');
  put(buffer, filler + "HEADtail");
  buffer.consume(filler.size() + 4);
  buffer.pin(4);
  CHECK(buffer.make_room());
  CHECK(buffer.capacity() == input_buffer::initial_bytes);
  CHECK(std::string_view(buffer.pinned(), 4) == "HEAD");
  CHECK(buffer.unread() == "tail");
}

TEST_CASE("input_buffer grows for unread bytes and is small again when cleared",
          "[actors][buffer]") {
  input_buffer buffer;
  const std::string head(input_buffer::initial_bytes - 100, 'h');
  put(buffer, head);
  CHECK_FALSE(buffer.make_room());
  CHECK(buffer.capacity() > input_buffer::initial_bytes);
  CHECK(buffer.unread() == head);
  CHECK(buffer.room().size() >= input_buffer::room_bytes_min);
  buffer.clear();
  CHECK(buffer.capacity() == input_buffer::initial_bytes);
  CHECK(buffer.empty());
}
