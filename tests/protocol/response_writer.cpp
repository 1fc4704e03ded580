#include "protocol/response_writer.hpp"

#include "tests/protocol/support.hpp"

using namespace bulkhead::protocol;
using bulkhead::protocol::test::date;

namespace {

std::string head_of(const response& answer,
                    head_context context = {method::get, 1, false, framing::length, {}}) {
  std::string out;
  write_head(answer, context, out);
  return out;
}

}  // namespace

TEST_CASE("response_writer writes a head in a fixed order", "[protocol][rfc9112-4]") {
  response answer = response::text("Hello, world!");
  answer.set("X", "y");
  CHECK(head_of(answer, {method::get, 1, true, framing::length, date}) ==
        "HTTP/1.1 200 OK\r\n"
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        "X: y\r\n"
        "Content-Length: 13\r\n"
        "Connection: close\r\n"
        "\r\n");
}

TEST_CASE("response_writer ends a status line without phrase in a space", "[protocol][rfc9112-4]") {
  CHECK(head_of(response(299)) == "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n");
  CHECK(head_of(response(404)) == "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("response_writer names one framing at most", "[protocol][rfc9112-6]") {
  const response answer = response().set_content("abc");
  CHECK(head_of(answer) == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n");
  CHECK(head_of(answer, {method::get, 1, false, framing::chunked, {}}) ==
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(head_of(answer, {method::get, 0, true, framing::until_close, {}}) ==
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
}

TEST_CASE("response_writer gives HEAD the length that GET would have",
          "[protocol][rfc9110-9.3.2]") {
  const response answer = response().set_content("abc");
  CHECK(head_of(answer, {method::head, 1, false, framing::length, {}}) == head_of(answer));
  CHECK_FALSE(content_follows(method::head, 200));
  CHECK(content_follows(method::get, 200));
}

TEST_CASE("response_writer frames no content where there is none", "[protocol][rfc9110-8.6]") {
  for (const framing chosen : {framing::length, framing::chunked}) {
    const head_context context{method::get, 1, false, chosen, {}};
    CHECK(head_of(response(204), context) == "HTTP/1.1 204 No Content\r\n\r\n");
    CHECK(head_of(response(304), context) == "HTTP/1.1 304 Not Modified\r\n\r\n");
    CHECK(head_of(response(205), context) ==
          "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n");
  }
  for (const std::uint16_t status :
       {std::uint16_t{101}, std::uint16_t{204}, std::uint16_t{205}, std::uint16_t{304}}) {
    CHECK_FALSE(content_follows(method::get, status));
  }
}

TEST_CASE("response_writer tells an HTTP/1.0 client that the connection stays",
          "[protocol][rfc9112-9.3]") {
  CHECK(head_of(response(), {method::get, 0, false, framing::length, {}}) ==
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(head_of(response(), {method::get, 0, true, framing::length, {}}) ==
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST_CASE("response_writer finds what a handler did wrong", "[protocol]") {
  for (const int status : {204, 205, 304}) {
    CHECK(find_fault(response(status).set_content("x"), method::get) ==
          write_error::content_not_allowed);
    CHECK_FALSE(find_fault(response(status), method::get));
  }
  CHECK(find_fault(response(200), method::connect) == write_error::connect_accepted);
  CHECK_FALSE(find_fault(response(405), method::connect));
  CHECK(find_fault(response(101), method::get) == write_error::upgrade_unnamed);
  CHECK_FALSE(find_fault(response(101).set("Upgrade", "x"), method::get));
}

TEST_CASE("response_writer frames chunks", "[protocol][rfc9112-7.1]") {
  std::string out;
  write_chunk_head(255, out);
  write_chunk_tail(out);
  write_last_chunk(out);
  CHECK(out == "ff\r\n\r\n0\r\n\r\n");
}

TEST_CASE("response_writer answers a refused request in full", "[protocol][rfc9112-9.6]") {
  std::string out;
  write_refusal(error::missing_host, method::get, date, out);
  CHECK(out ==
        "HTTP/1.1 400 Bad Request\r\n"
        "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        "Content-Length: 40\r\n"
        "Connection: close\r\n"
        "\r\n"
        "An HTTP/1.1 request needs a Host field.\n");
}

TEST_CASE("response_writer gives a refused HEAD no content", "[protocol][rfc9110-9.3.2]") {
  std::string out;
  write_refusal(error::overloaded, method::head, {}, out);
  CHECK_THAT(out, Catch::StartsWith("HTTP/1.1 503 ") && Catch::Contains("Retry-After: 1\r\n") &&
                      Catch::EndsWith("Connection: close\r\n\r\n"));
}
