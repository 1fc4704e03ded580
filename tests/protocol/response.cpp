#include "protocol/response.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace bulkhead::protocol;
using Catch::Contains;

TEST_CASE("response takes final statuses and 101", "[protocol][rfc9110-15]") {
  for (const int sound : {101, 200, 204, 299, 404, 599}) {
    CHECK(response(sound).status() == sound);
  }
  for (const int bad : {-1, 0, 99, 100, 102, 103, 199, 600, 65736}) {
    INFO(bad);
    CHECK_THROWS_WITH(response(bad), Contains(std::to_string(bad)));
    CHECK_THROWS_AS(response::text("", bad), std::invalid_argument);
  }
}

TEST_CASE("response keeps fields in wire form", "[protocol][rfc9112-5]") {
  response answer;
  answer.add("X-One", "1").add("X-Two", "").add("x-one", "2");
  CHECK(answer.field_lines() == "X-One: 1\r\nX-Two: \r\nx-one: 2\r\n");
  CHECK(answer.find("X-ONE") == "1");
  CHECK(answer.find("X-Two").empty());
  CHECK(answer.find("X").empty());
  answer.set("X-ONE", "3");
  CHECK(answer.field_lines() == "X-Two: \r\nX-ONE: 3\r\n");
}

TEST_CASE("response knows the media types of text and its like", "[protocol][rfc9110-8.3]") {
  CHECK(response::text("a").content_type() == "text/plain; charset=utf-8");
  CHECK(response::html("a").content_type() == "text/html; charset=utf-8");
  CHECK(response::json("{}").content_type() == "application/json");
  CHECK(response::bytes("a").content_type() == "application/octet-stream");
  response answer = response::text("a", 201);
  answer.set("content-type", "text/csv");
  CHECK(answer.content_type() == "text/csv");
  CHECK(answer.default_content_type().empty());
  CHECK(response().content_type().empty());
}

TEST_CASE("response refuses a field that would break the message", "[protocol][rfc9110-5.5]") {
  response answer;
  answer.set("X", "before");
  CHECK_THROWS_WITH(answer.set("X", "a\r\nSet-Cookie: evil"),
                    Contains("\"X\"") && Contains("carriage return") && Contains("offset 1"));
  CHECK_THROWS_WITH(answer.add("X", "ab\n"), Contains("line feed at offset 2"));
  CHECK_THROWS_WITH(answer.set("X", std::string_view("\0", 1)), Contains("NUL at offset 0"));
  CHECK_THROWS_WITH(answer.set("X", "\x7f"), Contains("control character"));
  CHECK_THROWS_WITH(answer.set("", "v"), Contains("empty"));
  for (const char* bad : {"X Y", "X:", "X\r\n", "\xc3\xa9", " X"}) {
    INFO(bad);
    CHECK_THROWS_AS(answer.add(bad, "v"), std::invalid_argument);
  }
  CHECK(answer.field_lines() == "X: before\r\n");
  answer.set("X", "tab\there \xc3\xa9");
}

TEST_CASE("response leaves framing and connection to the server", "[protocol][rfc9112-6]") {
  response answer;
  for (const char* own : {"Content-Length", "transfer-encoding", "DATE", "Trailer", "Keep-Alive"}) {
    INFO(own);
    CHECK_THROWS_WITH(answer.set(own, "1"), Contains(own) && Contains("server"));
  }
  CHECK_THROWS_WITH(answer.set("Connection", "close"), Contains("close()"));
  CHECK_FALSE(answer.closes());
  CHECK(answer.close().closes());
}

TEST_CASE("response has an Upgrade field with 101 and 426 only", "[protocol][rfc9110-7.8]") {
  CHECK_THROWS_WITH(response().set("Upgrade", "x"), Contains("101"));
  CHECK(response(101).set("Upgrade", "x").find("upgrade") == "x");
  CHECK(response(426).set("Upgrade", "x").find("upgrade") == "x");
}

TEST_CASE("response gives its content away", "[protocol]") {
  response answer = response::text(std::string(1000, 'x'));
  const void* const where = answer.content().data();
  const std::string taken = answer.take_content();
  CHECK(taken.size() == 1000);
  CHECK(taken.data() == where);
  CHECK(answer.content().empty());
}

TEST_CASE("response can be used again", "[protocol]") {
  response answer = response::text("a");
  answer.set("X", "y").close();
  answer.reset(404);
  CHECK(answer.status() == 404);
  CHECK(answer.field_lines().empty());
  CHECK(answer.content().empty());
  CHECK(answer.content_type().empty());
  CHECK_FALSE(answer.closes());
}
