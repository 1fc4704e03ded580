#include "protocol/field_rules.hpp"

#include "tests/protocol/support.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

std::string in_http10(std::string_view lines) {
  return "POST /echo HTTP/1.0\r\n" + std::string(lines) + "\r\n";
}

}  // namespace

// --- RFC 9112 section 3.2

TEST_CASE("field_rules wants exactly one Host field in HTTP/1.1", "[protocol][rfc9112-3.2]") {
  CHECK(refusal_of("GET / HTTP/1.1\r\n\r\n") == error::missing_host);
  CHECK(refusal_of("GET http://a/ HTTP/1.1\r\n\r\n") == error::missing_host);
  CHECK(refusal_of(with_fields("Host: a.example\r\n")) == error::repeated_host);
  CHECK(refusal_of(with_fields("X: y\r\nhost: b\r\n")) == error::repeated_host);
  CHECK(refusal_of("GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n") == error::repeated_host);
  CHECK(parse_head("GET / HTTP/1.0\r\n\r\n").kind == event_kind::head);
  CHECK(sample_head("GET / HTTP/1.0\r\n\r\n")->authority().empty());
}

TEST_CASE("field_rules refuses an invalid Host field", "[protocol][rfc9112-3.2]") {
  for (const char* bad :
       {"", " ", "a b", "u@a", "http://a", "a:80a", "a:65536", "::1", "[::1", "%zz"}) {
    INFO(bad);
    CHECK(refusal_of("GET / HTTP/1.1\r\nHost: " + std::string(bad) + "\r\n\r\n") ==
          error::bad_host);
  }
  CHECK(refusal_of(in_http10("Host: a b\r\n")) == error::bad_host);
}

// --- RFC 9112 section 6

TEST_CASE("field_rules reads a Content-Length of digits only", "[protocol][rfc9110-8.6]") {
  CHECK(sample_head(with_fields("Content-Length: \t 5 \t \r\n"))->content_length() == 5u);
  CHECK(sample_head(with_fields("content-length:0\r\n"))->content_length() == 0u);
  CHECK_FALSE(sample_head(with_fields("Content-Length: 0\r\n"))->has_content());
  for (const char* bad : {"",
                          "+5",
                          "-0",
                          "-5",
                          "0x5",
                          "5.0",
                          "5e0",
                          "5 0",
                          "5\t0",
                          "0_5",
                          "5x",
                          "5;",
                          "\"5\"",
                          "\xef\xbc\x95",
                          "\xa0"
                          "5",
                          ",",
                          "5, 5",
                          "5,",
                          ",5",
                          "5,6"}) {
    INFO(bad);
    CHECK(refusal_of(with_fields("Content-Length: " + std::string(bad) + "\r\n")) ==
          error::bad_content_length);
  }
}

TEST_CASE("field_rules refuses two spellings of a Content-Length", "[protocol][rfc9112-6.3]") {
  for (const char* odd : {"00", "05", "010", "0005"}) {
    INFO(odd);
    CHECK(refusal_of(with_fields("Content-Length: " + std::string(odd) + "\r\n")) ==
          error::bad_content_length);
  }
  CHECK(refusal_of(with_fields("Content-Length: 5\r\nContent-Length: 5\r\n")) ==
        error::repeated_content_length);
  CHECK(refusal_of(with_fields("Content-Length: 5\r\nX: y\r\ncontent-length: 6\r\n")) ==
        error::repeated_content_length);
}

TEST_CASE("field_rules lets no Content-Length wrap around", "[protocol][rfc9112-6.3]") {
  for (const char* large : {"4294967301", "9223372036854775808", "18446744073709551615",
                            "18446744073709551616", "18446744073709551621", "184467440737095516160",
                            "9999999999999999999999999999999999999999"}) {
    INFO(large);
    CHECK(refusal_of(with_fields("Content-Length: " + std::string(large) + "\r\n")) ==
          error::content_too_large);
  }
}

TEST_CASE("field_rules accepts a Content-Length at the limit and none above",
          "[protocol][rfc9110-15.5.14]") {
  limits bounds;
  bounds.content_bytes_max = 1000;
  CHECK(parse_head(with_fields("Content-Length: 1000\r\n"), bounds).kind == event_kind::head);
  CHECK(refusal_of(with_fields("Content-Length: 1001\r\n"), bounds) == error::content_too_large);
  bounds.content_bytes_max = 0;
  CHECK(parse_head(with_fields("Content-Length: 0\r\n"), bounds).kind == event_kind::head);
  CHECK(refusal_of(with_fields("Content-Length: 1\r\n"), bounds) == error::content_too_large);
}

TEST_CASE("field_rules understands chunked and no other coding", "[protocol][rfc9112-6.1]") {
  for (const char* sound : {"chunked", "Chunked", "CHUNKED", "\tchunked\t"}) {
    const sample_head head(with_fields("Transfer-Encoding: " + std::string(sound) + "\r\n"));
    CHECK(head->chunked());
    CHECK(head->has_content());
  }
  for (const char* other :
       {"gzip", "identity", "deflate", "xchunked", "chunked-", "chunk", "gzip, chunked",
        "cow, chunked", "gzip;chunked", "chunked;q=1", "chunked ; a=b"}) {
    INFO(other);
    CHECK(refusal_of(with_fields("Transfer-Encoding: " + std::string(other) + "\r\n")) ==
          error::unsupported_transfer_coding);
  }
}

TEST_CASE("field_rules refuses a malformed Transfer-Encoding", "[protocol][rfc9112-6.1]") {
  for (const char* bad :
       {"", ",", ", chunked", "chunked,", "chunked,,", "chunked, chunked", "chunked, gzip",
        "chunked, identity", "chun ked", "\"chunked\"", "=chunked",
        "\xa0"
        "chunked\xa0",
        "chunked\x85",
        "chun\xe2\x84\xaa"
        "ed",
        ";a=b"}) {
    INFO(bad);
    CHECK(refusal_of(with_fields("Transfer-Encoding: " + std::string(bad) + "\r\n")) ==
          error::bad_transfer_encoding);
  }
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  CHECK(refusal_of(with_fields(chunked + chunked)) == error::bad_transfer_encoding);
  CHECK(refusal_of(with_fields(chunked + "transfer-encoding: cow\r\n")) ==
        error::bad_transfer_encoding);
}

TEST_CASE("field_rules refuses both framings in either order", "[protocol][rfc9112-6.3]") {
  CHECK(refusal_of(with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")) ==
        error::both_framings);
  CHECK(refusal_of(with_fields("Transfer-Encoding: chunked\r\nX: y\r\nContent-Length: 5\r\n")) ==
        error::both_framings);
  CHECK(refusal_of(with_fields("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n")) ==
        error::both_framings);
  CHECK(refusal_of(in_http10("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")) ==
        error::both_framings);
}

TEST_CASE("field_rules refuses Transfer-Encoding in HTTP/1.0", "[protocol][rfc9112-6.1]") {
  CHECK(refusal_of(in_http10("Transfer-Encoding: chunked\r\n")) ==
        error::transfer_encoding_in_http10);
}

TEST_CASE("field_rules takes no other name for a framing field", "[protocol][rfc9110-5.1]") {
  const sample_head head(with_fields(
      "Content_Length: 5\r\nContent-Length-X: 5\r\nTransfer_Encoding: chunked\r\nTE: chunked\r\n"));
  CHECK_FALSE(head->has_content());
  CHECK_FALSE(head->content_length().has_value());
}

// --- RFC 9112 section 9

TEST_CASE("field_rules decides whether a connection stays", "[protocol][rfc9112-9.3]") {
  const auto stays = [](std::string_view lines) {
    return sample_head(with_fields(lines))->keep_alive();
  };
  CHECK(stays(""));
  CHECK(stays("Connection:\r\n"));
  CHECK(stays("Connection: keep-alive\r\n"));
  CHECK(stays("Connection: closed, frobnicate\r\n"));
  CHECK_FALSE(stays("Connection: close\r\n"));
  CHECK_FALSE(stays("Connection: keep-alive, CLOSE\r\n"));
  CHECK_FALSE(stays("Connection: , ,close,\r\n"));
  CHECK_FALSE(stays("Connection: keep-alive\r\nConnection: close\r\n"));
  CHECK_FALSE(sample_head(in_http10(""))->keep_alive());
  CHECK_FALSE(sample_head(in_http10("Connection: foo\r\n"))->keep_alive());
  CHECK(sample_head(in_http10("Connection: Keep-Alive\r\n"))->keep_alive());
  CHECK_FALSE(sample_head(in_http10("Connection: keep-alive, close\r\n"))->keep_alive());
}

TEST_CASE("field_rules refuses a Connection field that is no list of tokens",
          "[protocol][rfc9110-7.6.1]") {
  for (const char* bad : {"@@ /", "a b", "close;", "\xff\xfe", "\"close\""}) {
    INFO(bad);
    CHECK(refusal_of(with_fields("Connection: " + std::string(bad) + "\r\n")) ==
          error::bad_connection);
  }
}

TEST_CASE("field_rules gives the protocol that a request wants to switch to",
          "[protocol][rfc9110-7.8]") {
  CHECK(sample_head(with_fields("Upgrade: websocket\r\nConnection: Upgrade\r\n"))->upgrade() ==
        "websocket");
  CHECK(sample_head(with_fields("Connection: upgrade\r\nUpgrade: a/1, b\r\n"))->upgrade() ==
        "a/1, b");
  CHECK(sample_head(with_fields("Upgrade: websocket\r\n"))->upgrade().empty());
  CHECK(sample_head(in_http10("Upgrade: websocket\r\nConnection: Upgrade\r\n"))->upgrade().empty());
}

TEST_CASE("field_rules knows one expectation", "[protocol][rfc9110-10.1.1]") {
  const std::string length = "Content-Length: 5\r\n";
  CHECK(sample_head(with_fields(length + "Expect: 100-Continue\r\n"))->expects_continue());
  CHECK_FALSE(sample_head(with_fields(length + "Expect:\r\n"))->expects_continue());
  CHECK_FALSE(sample_head(with_fields("Expect: 100-continue\r\n"))->expects_continue());
  CHECK_FALSE(sample_head(with_fields("Content-Length: 0\r\nExpect: 100-continue\r\n"))
                  ->expects_continue());
  CHECK_FALSE(sample_head(in_http10(length + "Expect: 100-continue\r\n"))->expects_continue());
  for (const char* other : {"100-continue, foo=bar", "y 100-continue", "100", "\"100-continue\""}) {
    INFO(other);
    CHECK(refusal_of(with_fields(length + "Expect: " + other + "\r\n")) ==
          error::unmet_expectation);
  }
}
