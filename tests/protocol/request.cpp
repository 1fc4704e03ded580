#include "protocol/request.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "protocol/request_writer.hpp"

using namespace bulkhead::protocol;
using Catch::Contains;

namespace {

std::string head_of(const request& asked, request_content content = {}) {
  std::string out;
  write_head(asked, content, out);
  return out;
}

}  // namespace

TEST_CASE("request keeps its first lines in wire form", "[protocol][rfc9112-3]") {
  CHECK(request("GET", "/a?b", "a.example:8080").first_lines() ==
        "GET /a?b HTTP/1.1\r\nHost: a.example:8080\r\n");
  CHECK(request("CONNECT", "a:443", "a:443").first_lines() ==
        "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n");
  CHECK(request("OPTIONS", "*", "[::1]").first_lines() == "OPTIONS * HTTP/1.1\r\nHost: [::1]\r\n");
}

TEST_CASE("request refuses first lines that would break the message", "[protocol][rfc9112-11.1]") {
  for (const char* bad : {"", "G T", "GET\r\n", "G:", "\xc3\xa9"}) {
    CHECK_THROWS_WITH(request(bad, "/", "a"), Contains("method"));
  }
  for (const char* bad : {"", "a", "/ b", "/\r\nX: y", "/\t", "/%g", "*", "a:443", "/#f"}) {
    INFO(bad);
    CHECK_THROWS_WITH(request("GET", bad, "a"), Contains("target"));
  }
  for (const char* bad : {"", "a\r\nX: y", "a b", "u@a", "a/"}) {
    INFO(bad);
    CHECK_THROWS_WITH(request("GET", "/", bad), Contains("host"));
  }
  CHECK_THROWS_AS(request("GET", std::string("/\0", 2), "a"), std::invalid_argument);
}

TEST_CASE("request refuses a field that would break the message", "[protocol][rfc9110-5.5]") {
  request asked("GET", "/", "a");
  asked.set("X", "before");
  CHECK_THROWS_WITH(asked.set("X", "a\r\nY: z"), Contains("\"X\"") && Contains("carriage return"));
  CHECK_THROWS_WITH(asked.add("X", "a\nb"), Contains("line feed at offset 1"));
  CHECK_THROWS_WITH(asked.add("X", std::string_view("\0", 1)), Contains("NUL"));
  for (const char* bad : {"", "X Y", "X:", "X\r\n", " X"}) {
    CHECK_THROWS_AS(asked.set(bad, "v"), std::invalid_argument);
  }
  for (const char* own :
       {"Host", "content-length", "Transfer-Encoding", "Connection", "Expect", "Trailer"}) {
    CHECK_THROWS_WITH(asked.set(own, "v"), Contains("itself"));
  }
  CHECK(asked.field_lines() == "X: before\r\n");
  asked.add("x", "2").set("Accept", "*/*");
  CHECK(asked.field_lines() == "X: before\r\nx: 2\r\nAccept: */*\r\n");
  CHECK(asked.set("X", "3").find("x") == "3");
}

TEST_CASE("request can be used again", "[protocol]") {
  request asked("POST", "/", "a");
  asked.set("X", "y").set_content("z").expect_continue().close();
  asked.reset("GET", "/b", "c");
  CHECK(head_of(asked) == "GET /b HTTP/1.1\r\nHost: c\r\n\r\n");
  CHECK(asked.content().empty());
}

TEST_CASE("request_writer writes a head in a fixed order", "[protocol][rfc9112-2.1]") {
  request asked("POST", "/", "a");
  asked.set("X", "y").expect_continue().close();
  CHECK(head_of(asked, {framing::length, 5}) ==
        "POST / HTTP/1.1\r\nHost: a\r\nX: y\r\nContent-Length: 5\r\nExpect: 100-continue\r\n"
        "Connection: close\r\n\r\n");
  CHECK(head_of(request("PUT", "/", "a"), {framing::chunked}) ==
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST_CASE("request_writer says that there is no content where some is expected",
          "[protocol][rfc9110-8.6]") {
  for (const char* method : {"POST", "PUT", "PATCH"}) {
    CHECK_THAT(head_of({method, "/", "a"}), Contains("\r\nContent-Length: 0\r\n"));
  }
  for (const char* method : {"GET", "HEAD", "DELETE", "BREW"}) {
    CHECK_THAT(head_of({method, "/", "a"}), !Contains("Content-Length"));
  }
}

TEST_CASE("request_writer names in Connection what is between neighbours",
          "[protocol][rfc9110-7.6.1]") {
  request asked("GET", "/", "a");
  asked.set("Upgrade", "websocket");
  CHECK_THAT(head_of(asked), Contains("\r\nConnection: upgrade\r\n\r\n"));
  asked.set("TE", "trailers").close();
  CHECK_THAT(head_of(asked), Contains("\r\nConnection: close, upgrade, TE\r\n\r\n"));
}
