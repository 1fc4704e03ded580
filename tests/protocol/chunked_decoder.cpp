#include "protocol/chunked_decoder.hpp"

#include "tests/protocol/support.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

std::string content_of(std::string_view input) {
  const chunked_outcome outcome = decode_chunked(input);
  INFO(input);
  CHECK(outcome.kind == event_kind::end);
  return outcome.content;
}

error refusal(std::string_view input, const limits& bounds = {}) {
  return decode_chunked(input, bounds).why;
}

// With one chunk and this trailer section before it ends.
std::string with_trailer(std::string_view lines) {
  return "1\r\nx\r\n0\r\n" + std::string(lines) + "\r\n";
}

}  // namespace

TEST_CASE("chunked_decoder joins chunks", "[protocol][rfc9112-7.1]") {
  CHECK(content_of("0\r\n\r\n").empty());
  CHECK(content_of("5\r\nhello\r\n0\r\n\r\n") == "hello");
  CHECK(content_of("1\r\nh\r\n4\r\nello\r\n000\r\n\r\n") == "hello");
  CHECK(content_of("A\r\n0123456789\r\n00b\r\n0123456789x\r\n0\r\n\r\n") ==
        "01234567890123456789x");
  CHECK(content_of("4\r\n\r\n\r\n\r\n0\r\n\r\n") == "\r\n\r\n");
}

TEST_CASE("chunked_decoder leaves what follows the message", "[protocol][rfc9112-7.1]") {
  const chunked_outcome outcome = decode_chunked("1\r\nx\r\n0\r\nA: b\r\n\r\nGET / HTTP/1.1\r\n");
  CHECK(outcome.kind == event_kind::end);
  CHECK(outcome.consumed == 17);
}

TEST_CASE("chunked_decoder wants more for every beginning of a message", "[protocol][rfc9112-8]") {
  const std::string message = "3;a=\"b\\\"\";c\r\nabc\r\n0;d\r\nX: y\r\n\r\n";
  for (std::size_t length = 0; length < message.size(); ++length) {
    INFO(length);
    const chunked_outcome outcome = decode_chunked(message.substr(0, length));
    CHECK(outcome.kind == event_kind::need_more);
    CHECK(outcome.consumed == std::min(length, message.find("X:")));  // the trailers stay whole
  }
  CHECK(content_of(message) == "abc");
}

TEST_CASE("chunked_decoder reads sizes of hexadecimal digits only", "[protocol][rfc9112-7.1]") {
  for (const char* bad :
       {"-5", "-0",  "+5", "0X5",  "0x5", "0_5",      "five",  "5h",    "5,",    "\"5\"",
        " 5", "\t5", "",   ";a=b", "%35", "\xd9\xa5", "5\x0b", "5\xa0", "5\x01", "g"}) {
    INFO(bad);
    CHECK(refusal(std::string(bad) + "\r\nhello\r\n0\r\n\r\n") == error::bad_chunk_size);
  }
  CHECK(refusal(std::string("\0005", 2)) == error::bad_chunk_size);
}

TEST_CASE("chunked_decoder lets no size wrap around", "[protocol][rfc9112-7.1]") {
  for (const char* large : {"100000005", "8000000000000000", "10000000000000000",
                            "10000000000000005", "ffffffffffffffff", "ffffffffffffffffffffffff"}) {
    INFO(large);
    CHECK(refusal(std::string(large) + "\r\nhello\r\n0\r\n\r\n") == error::content_too_large);
  }
  CHECK(content_of("0000000000000001\r\nx\r\n0\r\n\r\n") == "x");
  CHECK(refusal("00000000000000001\r\nx\r\n0\r\n\r\n") == error::bad_chunk_size);
}

TEST_CASE("chunked_decoder wants CRLF at every line end", "[protocol][rfc9112-7.1]") {
  CHECK(refusal("5\nhello\r\n0\r\n\r\n") == error::bare_lf);
  CHECK(refusal("5\rhello\r\n0\r\n\r\n") == error::bare_cr);
  CHECK(refusal("5\r\r\nhello\r\n0\r\n\r\n") == error::bare_cr);
  CHECK(refusal("0\n\r\n") == error::bare_lf);
  CHECK(refusal("0\r\n\n") == error::bare_lf);
  CHECK(refusal("0\r\n\rX") == error::bare_cr);
  CHECK(refusal("\r\n5\r\nhello\r\n0\r\n\r\n") == error::bad_chunk_size);
}

TEST_CASE("chunked_decoder wants CRLF behind the data", "[protocol][rfc9112-7.1]") {
  for (const char* bad :
       {"5\r\nhelloXX\r\n", "5\r\nhello\rX0\r\n\r\n", "5\r\nhelloX\n0\r\n\r\n",
        "5\r\nhello  0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "6\r\nhello\r\n0\r\n\r\n",
        "4\r\nhello\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n"}) {
    INFO(bad);
    CHECK(refusal(bad) == error::bad_chunk_end);
  }
}

TEST_CASE("chunked_decoder drops well-formed extensions", "[protocol][rfc9112-7.1.1]") {
  for (const char* sound : {";a", ";a=b", ";a;b=c;d=\"e\"", ";a=\"\"", ";a=\"b\\\"r\\\\\"",
                            ";a=\"; x\"", " ;a", "\t; a", ";a = b", "; a =\t\"b\" ; c", ";a ;b"}) {
    INFO(sound);
    CHECK(content_of("5" + std::string(sound) + "\r\nhello\r\n0" + sound + "\r\n\r\n") == "hello");
  }
}

TEST_CASE("chunked_decoder refuses malformed extensions", "[protocol][rfc9112-7.1.1]") {
  for (const char* bad :
       {";", ";;a", ";a=", ";a@b", ";a=\x01", ";a=b;", ";a b", ";a=\"b", ";a=\"b\"c", ";a=b c", " ",
        "\t", ";a ", ";a=b ", ";=b", ";a=\"b\" ", ";\"a\"", ";a=\"\\"}) {
    INFO(bad);
    CHECK(refusal("5" + std::string(bad) + "\r\nhello\r\n0\r\n\r\n") == error::bad_chunk_extension);
  }
  CHECK(refusal("5;a\nb\r\nhello\r\n") == error::bad_chunk_extension);
  CHECK(refusal("5;a\rb\r\nhello\r\n") == error::bare_cr);
  CHECK(refusal("5;a=\"b\nc\"\r\nhello\r\n") == error::bad_chunk_extension);
  CHECK(refusal(std::string("5;a\0b\r\nhello\r\n", 14)) == error::bad_chunk_extension);
}

TEST_CASE("chunked_decoder bounds the extensions of a message", "[protocol][rfc9112-7.1.1]") {
  limits bounds;
  bounds.chunk_extension_bytes_max = 12;
  const std::string chunk = "1;abc\r\nx\r\n";  // four octets of extension
  CHECK(decode_chunked(chunk + chunk + chunk + "0\r\n\r\n", bounds).kind == event_kind::end);
  CHECK(refusal(chunk + chunk + chunk + "0;\r\n\r\n", bounds) == error::chunk_extensions_too_large);
}

TEST_CASE("chunked_decoder accepts content at the limit and none above",
          "[protocol][rfc9110-15.5.14]") {
  limits bounds;
  bounds.content_bytes_max = 20;
  const std::string ten = "a\r\n0123456789\r\n";
  CHECK(decode_chunked(ten + ten + "0\r\n\r\n", bounds).kind == event_kind::end);
  CHECK(refusal(ten + ten + "1", bounds) == error::content_too_large);
  CHECK(refusal("15", bounds) == error::content_too_large);
  CHECK(decode_chunked("14\r\n", bounds).kind == event_kind::need_more);
}

TEST_CASE("chunked_decoder gives trailer fields", "[protocol][rfc9112-7.1.2]") {
  CHECK(content_of(with_trailer("X-Sum: abc\r\n")) == "x");
  CHECK(decode_chunked(with_trailer("")).trailers.empty());
  CHECK(decode_chunked(with_trailer("X-Sum: \t abc \r\nx:\r\nX-Sum:a:b\r\n")).trailers ==
        "X-Sum=abc|x=|X-Sum=a:b|");
  CHECK(content_of(with_trailer(
            "A:\r\nB: \tc d\t\r\nHos: t\r\nHostX: t\r\nContent-Length-X: 5\r\n")) == "x");
}

TEST_CASE("chunked_decoder refuses fields that may not trail", "[protocol][rfc9110-6.5.1]") {
  for (const char* name :
       {"Content-Length", "transfer-encoding", "HOST", "Connection", "Expect", "Content-Encoding",
        "Content-Type", "Trailer", "Authorization", "Cookie", "Upgrade", "TE", "Range"}) {
    INFO(name);
    CHECK(refusal(with_trailer("A: b\r\n" + std::string(name) + ": 1\r\n")) ==
          error::forbidden_trailer_field);
  }
}

TEST_CASE("chunked_decoder refuses malformed trailer fields", "[protocol][rfc9112-7.1.2]") {
  CHECK(refusal(with_trailer("X-A\r\n")) == error::missing_colon);
  CHECK(refusal(with_trailer(": 1\r\n")) == error::bad_field_name);
  CHECK(refusal(with_trailer("X : 1\r\n")) == error::space_before_colon);
  CHECK(refusal(with_trailer("X@: 1\r\n")) == error::bad_field_name);
  CHECK(refusal(with_trailer("X: 1\x01\r\n")) == error::bad_field_value);
  CHECK(refusal(with_trailer("X: 1\nY: 2\r\n")) == error::bare_lf);
  CHECK(refusal(with_trailer("X: 1\rY: 2\r\n")) == error::bare_cr);
  CHECK(refusal(with_trailer("X: 1\r\n 2\r\n")) == error::line_folding);
  CHECK(refusal(with_trailer("GET / HTTP/1.1\r\n")) == error::space_before_colon);
}

TEST_CASE("chunked_decoder bounds the trailer section", "[protocol][rfc6585-5]") {
  limits bounds;
  bounds.trailer_fields_max = 3;
  CHECK(decode_chunked(with_trailer("A:\r\nB:\r\nC:\r\n"), bounds).kind == event_kind::end);
  CHECK(refusal(with_trailer("A:\r\nB:\r\nC:\r\nD:\r\n"), bounds) ==
        error::too_many_trailer_fields);
  bounds.trailer_bytes_max = 14;
  CHECK(decode_chunked(with_trailer("A: 345678\r\n").substr(0), bounds).kind == event_kind::end);
  CHECK(refusal(with_trailer("A: 34567890\r\n"), bounds) == error::trailer_too_large);
  bounds.trailer_bytes_max = 1000;
  bounds.field_name_bytes_max = 17;
  CHECK(decode_chunked(with_trailer(std::string(17, 'n') + ":\r\n"), bounds).kind ==
        event_kind::end);
  CHECK(refusal(with_trailer(std::string(18, 'n') + ":\r\n"), bounds) ==
        error::field_name_too_long);
}
