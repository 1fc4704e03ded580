#include "protocol/response_parser.hpp"

#include "tests/protocol/client_peer.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

// A head parsed whole that keeps its octets.
struct sample_response {
  std::string text;
  response_head head{limits{}.fields_max};

  explicit sample_response(std::string octets) : text(std::move(octets)) {
    const limits bounds;
    REQUIRE(response_parser{}.next(text, bounds, head).kind == event_kind::head);
  }
};

error refusal(std::string_view input, const limits& bounds = {}) {
  return same_for_every_split(input.size(), [&](const pieces& lengths) {
    response_parser parser;
    response_head head(bounds.fields_max);
    std::size_t there = 0;
    for (const std::size_t length : lengths) {
      there += length;
      const std::vector<char> copy(input.begin(),
                                   input.begin() + static_cast<std::ptrdiff_t>(there));
      const event found = parser.next({copy.data(), copy.size()}, bounds, head);
      if (found.kind != event_kind::need_more) {
        return found.why;
      }
    }
    return error::none;
  });
}

}  // namespace

TEST_CASE("response_parser takes a head apart", "[protocol][rfc9112-4]") {
  const sample_response sample(
      "HTTP/1.1 404 Not \xe9 found\r\nX-A: \t a\tb \r\nX-B:\r\nSet-Cookie: a=1\r\n\r\nrest");
  CHECK(sample.head.status() == 404);
  CHECK(sample.head.reason() == "Not \xe9 found");
  CHECK(sample.head.minor_version() == 1);
  CHECK(sample.head.size_bytes() == sample.text.size() - 4);
  CHECK(sample.head.fields().size() == 3);
  CHECK(sample.head.find("x-a") == "a\tb");
  CHECK(sample.head.find("X-B") == "");
  CHECK_FALSE(sample.head.find("X-C"));
  CHECK(sample.head.keep_alive());
  CHECK_FALSE(sample.head.content_length());
}

TEST_CASE("response_parser takes every status of three digits", "[protocol][rfc9110-15]") {
  CHECK(sample_response("HTTP/1.1 299 \r\n\r\n").head.reason().empty());
  CHECK(sample_response("HTTP/1.1 999 x\r\n\r\n").head.status() == 999);
  CHECK(sample_response("HTTP/1.1 103 Early Hints\r\n\r\n").head.is_interim());
  CHECK_FALSE(sample_response("HTTP/1.1 101 Switching Protocols\r\n\r\n").head.is_interim());
  for (const char* bad : {"000", "099", "20", "2000", "20x", "-20", "+20", "0xc", "", " 200"}) {
    INFO(bad);
    CHECK(refusal("HTTP/1.1 " + std::string(bad) + " OK\r\n\r\n") == error::bad_status_line);
  }
}

TEST_CASE("response_parser speaks HTTP/1 only", "[protocol][rfc9112-2.3]") {
  CHECK(sample_response("HTTP/1.0 200 OK\r\n\r\n").head.minor_version() == 0);
  CHECK(sample_response("HTTP/1.9 200 OK\r\n\r\n").head.minor_version() == 1);
  CHECK(refusal("HTTP/2.0 200 OK\r\n\r\n") == error::unsupported_version);
  for (const char* bad : {"HTTP/1.10 200 OK\r\n", "HTTP/11.1 200 OK\r\n", "HTTP/1 200 OK\r\n",
                          "http/1.1 200 OK\r\n", "ICY 200 OK\r\n", "GET / HTTP/1.1\r\n"}) {
    INFO(bad);
    CHECK(refusal(bad) == error::bad_status_line);
  }
}

TEST_CASE("response_parser wants one space and CRLF in the status line", "[protocol][rfc9112-4]") {
  for (const char* bad :
       {"\r\nHTTP/1.1 200 OK\r\n", "HTTP/1.1\t200 OK\r\n", "HTTP/1.1  200 OK\r\n",
        "HTTP/1.1 200\tOK\r\n", "HTTP/1.1 200\r\n", "HTTP/1.1 200OK\r\n", "HTTP/1.1 200 OK\n",
        "HTTP/1.1 200 O\rK\r\n", "HTTP/1.1 200 OK\r\r\n", "HTTP/1.1 200 A\x07\r\n"}) {
    INFO(bad);
    CHECK(refusal(bad) == error::bad_status_line);
  }
}

TEST_CASE("response_parser reads fields as strictly as those of requests",
          "[protocol][rfc9112-5]") {
  const auto with = [](std::string_view lines) { return refusal(ok_with(lines)); };
  CHECK(with("X-A v\r\n") == error::space_before_colon);
  CHECK(with("X-A : v\r\n") == error::space_before_colon);
  CHECK(with("X-A\r\n") == error::missing_colon);
  CHECK(with(": v\r\n") == error::bad_field_name);
  CHECK(with("X(A: v\r\n") == error::bad_field_name);
  CHECK(with(std::string_view("X\0A: v\r\n", 8)) == error::bad_field_name);
  CHECK(with(" X-A: v\r\n") == error::line_folding);
  CHECK(with("X-A: v\r\n w\r\n") == error::line_folding);
  CHECK(with("X-A: a\x01\r\n") == error::bad_field_value);
  CHECK(with(std::string_view("X-A: a\0\r\n", 9)) == error::bad_field_value);
  CHECK(with("X-A: a\nX-B: b\r\n") == error::bare_lf);
  CHECK(with("X-A: a\rX-B: b\r\n") == error::bare_cr);
  CHECK(refusal("HTTP/1.1 200 OK\r\n\rx") == error::bare_cr);
  CHECK(refusal("HTTP/1.1 200 OK\r\n\n") == error::bare_lf);
  CHECK(with("Connection: a b\r\n") == error::bad_connection);
}

TEST_CASE("response_parser bounds heads", "[protocol][rfc6585-5]") {
  limits bounds;
  bounds.head_bytes_max = 64;
  const std::string start = ok_with("X: ").substr(0, 20);
  const std::string fits = start + std::string(64 - start.size() - 4, 'v') + "\r\n\r\n";
  REQUIRE(fits.size() == 64);
  CHECK(refusal(fits, bounds) == error::none);
  CHECK(refusal(start + "v" + fits.substr(start.size()), bounds) == error::head_too_large);
  CHECK(refusal("HTTP/1.1 200 " + std::string(60, 'x'), bounds) == error::head_too_large);
  bounds = {};
  bounds.fields_max = 2;
  CHECK(refusal(ok_with("A:\r\nB:\r\n"), bounds) == error::none);
  CHECK(refusal(ok_with("A:\r\nB:\r\nC:\r\n"), bounds) == error::too_many_fields);
  bounds.field_name_bytes_max = 17;
  CHECK(refusal(ok_with(std::string(17, 'n') + ":\r\n"), bounds) == error::none);
  CHECK(refusal(ok_with(std::string(18, 'n') + ":\r\n"), bounds) == error::field_name_too_long);
}

TEST_CASE("response_parser leaves what is wrong with framing to whoever knows the request",
          "[protocol][rfc9112-6.3]") {
  const auto fault = [](std::string_view lines) {
    const sample_response sample(ok_with(lines));
    CHECK_FALSE(sample.head.content_length());
    CHECK_FALSE(sample.head.chunked());
    return sample.head.framing_fault();
  };
  CHECK(fault("Content-Length: 5x\r\n") == error::bad_content_length);
  CHECK(fault("Content-Length: 5\r\nContent-Length: 5\r\n") == error::repeated_content_length);
  CHECK(fault("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") == error::both_framings);
  CHECK(fault("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n") ==
        error::unsupported_transfer_coding);
}

TEST_CASE("response_parser can be used again", "[protocol]") {
  const limits bounds;
  response_parser parser;
  response_head head(bounds.fields_max);
  CHECK(
      parser.next("HTTP/1.0 404 x\r\nConnection: close\r\nContent-Length: 5x\r\n\r\n", bounds, head)
          .kind == event_kind::head);
  parser.reset();
  const std::string second = "HTTP/1.1 200 \r\n\r\n";
  CHECK(parser.next(second, bounds, head).kind == event_kind::head);
  CHECK(head.status() == 200);
  CHECK(head.fields().empty());
  CHECK(head.keep_alive());
  CHECK(head.framing_fault() == error::none);
}
