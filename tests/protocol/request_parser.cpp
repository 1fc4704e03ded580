#include "protocol/request_parser.hpp"

#include "tests/protocol/support.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

std::string line(std::string_view request_line) {
  return std::string(request_line) + "\r\nHost: a\r\n\r\n";
}

}  // namespace

// --- RFC 9112 section 2

TEST_CASE("request_parser gives every part of a head", "[protocol][rfc9112-2.1]") {
  const sample_head head(
      "POST /a%20b?c=d HTTP/1.1\r\nHost: A.example:81\r\nX-One:  1 \t\r\nx-one:two\r\nEmpty:\r\n"
      "Content-Length: 12\r\n\r\nrest");
  CHECK(head->method() == "POST");
  CHECK(head->known_method() == method::post);
  CHECK(head->target() == "/a%20b?c=d");
  CHECK(head->path() == "/a%20b");
  CHECK(head->query() == "c=d");
  CHECK(head->authority() == "A.example:81");
  CHECK(head->minor_version() == 1);
  CHECK(head->fields().size() == 5);
  CHECK(head->find("x-ONE") == "1");
  CHECK(head->find("empty") == "");
  CHECK_FALSE(head->find("absent").has_value());
  CHECK(head->content_length() == 12u);
  CHECK(head->size_bytes() == 100);
}

TEST_CASE("request_parser says the same for every splitting", "[protocol][rfc9112-2.1]") {
  for (const std::string_view input :
       {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\nGET /h?q HTTP/1.0\r\n\r\nGET /next",
        "OPTIONS * HTTP/1.1\r\nhost:[::1]:8\r\nA:\r\nB: \t \r\nC:\tx y\t\r\n\r\n",
        "GET http://b:1?q HTTP/1.1\r\nHost: a\r\nConnection: close, upgrade\r\nUpgrade: "
        "x\r\n\r\n"}) {
    CHECK(parse_head(input).kind == event_kind::head);
  }
}

TEST_CASE("request_parser wants more for every beginning of a head", "[protocol][rfc9112-2.1]") {
  const std::string head = "\r\nPUT /a?b HTTP/1.1\r\nHost: a\r\nX-Y: z\r\n\r\n";
  for (std::size_t length = 0; length < head.size(); ++length) {
    INFO(length);
    CHECK(parse_head(head.substr(0, length)).kind == event_kind::need_more);
  }
}

TEST_CASE("request_parser skips one empty line and no second", "[protocol][rfc9112-2.2]") {
  CHECK(parse_head("\r\n" + line("GET / HTTP/1.1")).kind == event_kind::head);
  CHECK(refusal_of("\r\n\r\n" + line("GET / HTTP/1.1")) == error::too_many_empty_lines);
  CHECK(refusal_of("\n" + line("GET / HTTP/1.1")) == error::bare_lf);
  CHECK(refusal_of("\r" + line("GET / HTTP/1.1")) == error::bare_cr);
  CHECK(refusal_of(" \r\n" + line("GET / HTTP/1.1")) == error::bad_method);
}

TEST_CASE("request_parser refuses a line feed without carriage return", "[protocol][rfc9112-2.2]") {
  for (const std::string_view bad :
       {"GET / HTTP/1.1\nHost: a\r\n\r\n", "GET /\n", "GET\n", "GET / HTTP/1\n", "\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX:\n\r\n"}) {
    INFO(bad);
    const error why = refusal_of(bad);
    CHECK((why == error::bare_lf || why == error::bad_version));
  }
}

TEST_CASE("request_parser refuses a carriage return without line feed", "[protocol][rfc9112-2.2]") {
  for (const std::string_view bad :
       {"GET / HTTP/1.1\rHost: a\r\n\r\n", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\rX: b\r\n\r\n", "\rGET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n"}) {
    INFO(bad);
    CHECK(refusal_of(bad) == error::bare_cr);
  }
}

TEST_CASE("request_parser refuses malformed versions", "[protocol][rfc9112-2.3]") {
  for (const char* bad :
       {"HTTP/1.10", "HTTP/01.1", "HTTP/11.1",         "HTTP/.1",          "HTTP/1",     "HTTP/1.",
        "http/1.1",  "Http/1.1",  "HTTP1.1",           "HTTP/1,1",         "HTTP/1.1x",  "HTTP/1.A",
        "HTTP/ 1.1", "HTTPS/1.1", "RTSP/1.0",          "XHTTP/1.1",        "HTTP/1.1\t", "",
        "HTTP/1.1 ", " HTTP/1.1", "HTTP/1.1 HTTP/1.1", "HTTP/4294967297.1"}) {
    INFO(bad);
    CHECK(refusal_of(line("GET / " + std::string(bad))) == error::bad_version);
  }
}

TEST_CASE("request_parser speaks no other major version", "[protocol][rfc9110-15.6.6]") {
  for (const char* other : {"HTTP/0.9", "HTTP/2.0", "HTTP/3.1", "HTTP/9.9"}) {
    INFO(other);
    CHECK(refusal_of(line("GET / " + std::string(other))) == error::unsupported_version);
  }
  CHECK(refusal_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == error::bad_target_form);
}

TEST_CASE("request_parser takes a higher minor version for 1.1", "[protocol][rfc9110-2.5]") {
  CHECK(sample_head(line("GET / HTTP/1.9"))->minor_version() == 1);
  CHECK(sample_head(line("GET / HTTP/1.0"))->minor_version() == 0);
}

// --- RFC 9112 section 3

TEST_CASE("request_parser refuses malformed request lines", "[protocol][rfc9112-3]") {
  CHECK(refusal_of(line("GET")) == error::bad_request_line);
  CHECK(refusal_of(line("GET /")) == error::bad_request_line);
  CHECK(refusal_of(line(" GET / HTTP/1.1")) == error::bad_method);
  CHECK(refusal_of(line("GET  / HTTP/1.1")) == error::bad_target);
  CHECK(refusal_of(line("GET /  HTTP/1.1")) == error::bad_version);
  CHECK(refusal_of(line("GET\t/\tHTTP/1.1")) == error::bad_method);
  CHECK(refusal_of(line("GET /\x0b HTTP/1.1")) == error::bad_target);
  CHECK(refusal_of(line("GET /a b HTTP/1.1")) == error::bad_version);
  CHECK(refusal_of("HTTP/1.1 200 OK\r\n\r\n") == error::bad_method);
}

TEST_CASE("request_parser takes any token for a method", "[protocol][rfc9110-9.1]") {
  CHECK(sample_head(line("M-SEARCH!#$%&'*+.^_`|~ / HTTP/1.1"))->known_method() == method::unknown);
  CHECK(sample_head(line("get / HTTP/1.1"))->known_method() == method::unknown);
  for (const char* bad :
       {"G@T", "\"GET\"", "GET:", "G\xc3\x89T", "\xef\xbb\xbfGET", "GET\x7f", "(", "/"}) {
    INFO(bad);
    CHECK(refusal_of(line(std::string(bad) + " / HTTP/1.1")) == error::bad_method);
  }
  CHECK(refusal_of(line(std::string("G\0T / HTTP/1.1", 14))) == error::bad_method);
}

TEST_CASE("request_parser knows the methods of RFC 9110 and PATCH", "[protocol][rfc9110-9.3]") {
  for (const method known : {method::get, method::head, method::post, method::put, method::delete_,
                             method::options, method::trace, method::patch}) {
    const std::string name(name_of(known));
    CHECK(sample_head(line(name + " / HTTP/1.1"))->known_method() == known);
  }
  CHECK(sample_head(line("CONNECT a:1 HTTP/1.1"))->known_method() == method::connect);
}

TEST_CASE("request_parser lets the authority of absolute-form win", "[protocol][rfc9112-3.2.2]") {
  const sample_head head("GET http://b.example:81 HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(head->authority() == "b.example:81");
  CHECK(head->path() == "/");
  CHECK(head->target() == "http://b.example:81");
}

TEST_CASE("request_parser keeps its views when the input moves", "[protocol]") {
  std::string octets = "GET /moved?q HTTP/1.1\r\nHost: a.example\r\nX: yes\r\n\r\n";
  request_head head(8);
  const limits bounds;
  REQUIRE(request_parser{}.next(octets, bounds, head).kind == event_kind::head);
  const std::string elsewhere = octets;
  octets.assign(octets.size(), '#');
  head.rebase(elsewhere.data());
  CHECK(head.path() == "/moved");
  CHECK(head.authority() == "a.example");
  CHECK(head.find("x") == "yes");
}

// --- RFC 9112 section 5

TEST_CASE("request_parser takes a field name for tokens only", "[protocol][rfc9110-5.1]") {
  CHECK(sample_head(with_fields("!#$%&'*+-.^_`|~09azAZ: v\r\n"))->fields().size() == 2);
  for (const char* bad :
       {"X(Y): v", "X/Y: v", "X@Y: v", "X{0}: v", "X;Y: v", "X=Y: v", "<XY>: v", "X\\Y: v",
        "X\x01Y: v", "X\xa0Y: v", "X\x7f: v", ": v", ":a: v", "X\x0b: v"}) {
    INFO(bad);
    CHECK(refusal_of(with_fields(std::string(bad) + "\r\n")) == error::bad_field_name);
  }
}

TEST_CASE("request_parser refuses whitespace before the colon", "[protocol][rfc9112-5.1]") {
  CHECK(refusal_of(with_fields("X : y\r\n")) == error::space_before_colon);
  CHECK(refusal_of(with_fields("X\t: y\r\n")) == error::space_before_colon);
  CHECK(refusal_of(with_fields("Content Length: 5\r\n")) == error::space_before_colon);
  CHECK(refusal_of(with_fields("garbage\r\n")) == error::missing_colon);
}

TEST_CASE("request_parser trims blanks around values only", "[protocol][rfc9112-5.1]") {
  const sample_head head(with_fields("A:\t a \t b\t \r\nB:b\r\nC: :\r\nD: \t\r\n"));
  CHECK(head->find("a") == "a \t b");
  CHECK(head->find("b") == "b");
  CHECK(head->find("c") == ":");
  CHECK(head->find("d") == "");
}

TEST_CASE("request_parser refuses control octets in values", "[protocol][rfc9110-5.5]") {
  for (int octet = 0; octet < 256; ++octet) {
    // At every place of the eight octets that are looked at together.
    for (const char* before : {"", "abc", "abcdefg", "abcdefgh", "abcdefghijklm"}) {
      const std::string value = before + std::string(1, static_cast<char>(octet)) + "tail of it";
      const error why = refusal_of(with_fields("X:" + value + "\r\n"));
      INFO("octet " << octet << " behind " << before);
      const bool control = octet < 0x20 || octet == 0x7f;
      CHECK(why == (octet == '\r'              ? error::bare_cr
                    : octet == '\n'            ? error::bare_lf
                    : control && octet != '\t' ? error::bad_field_value
                                               : error::none));
    }
  }
}

TEST_CASE("request_parser refuses folded lines", "[protocol][rfc9112-5.2]") {
  for (const char* bad :
       {"X: a\r\n b\r\n", "X: a\r\n\tb\r\n", "X: a\r\n \r\n", " X: a\r\n", "\t\r\n"}) {
    INFO(bad);
    CHECK(refusal_of(with_fields(bad)) == error::line_folding);
  }
  CHECK(refusal_of("GET / HTTP/1.1\r\n Host: a\r\n\r\n") == error::line_folding);
}

// --- limits

TEST_CASE("request_parser accepts a request line at its limit and none above",
          "[protocol][rfc9112-3]") {
  limits bounds;
  bounds.request_line_bytes_max = 64;
  const auto of = [](std::size_t bytes) {
    return line("GET /" + std::string(bytes - 14, 'a') + " HTTP/1.1");
  };
  CHECK(parse_head(of(64), bounds).kind == event_kind::head);
  CHECK(refusal_of(of(65), bounds) == error::request_line_too_long);
  CHECK(parse_head("\r\n" + of(64), bounds).kind == event_kind::head);
  CHECK(refusal_of("\r\n" + of(65), bounds) == error::request_line_too_long);
  CHECK(refusal_of(std::string(67, 'A'), bounds) == error::request_line_too_long);
}

TEST_CASE("request_parser accepts a head at its limit and none above", "[protocol][rfc6585-5]") {
  limits bounds;
  bounds.head_bytes_max = 128;
  bounds.request_line_bytes_max = 64;
  const auto of = [](std::size_t bytes) {
    return with_fields("X: " + std::string(bytes - 45, 'x') + "\r\n");
  };
  REQUIRE(of(128).size() == 128);
  CHECK(parse_head(of(128), bounds).kind == event_kind::head);
  CHECK(refusal_of(of(129), bounds) == error::head_too_large);
  CHECK(refusal_of(with_fields(std::string(200, 'N')), bounds) == error::head_too_large);
  CHECK(refusal_of(with_fields("X:" + std::string(200, ' ')), bounds) == error::head_too_large);
}

TEST_CASE("request_parser works up to the largest head there can be", "[protocol]") {
  const limits bounds;
  request_head head(bounds.fields_max);
  const std::string begin = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
  const auto of = [&](std::size_t bytes) {
    return begin + std::string(bytes - begin.size() - 5, 'x') + "y\r\n\r\n";
  };
  const std::string largest = of(head_bytes_cap);
  REQUIRE(request_parser{}.next(largest, bounds, head).kind == event_kind::head);
  CHECK(head.size_bytes() == head_bytes_cap);
  CHECK(head.find("X")->size() == head_bytes_cap - begin.size() - 4);
  CHECK(head.find("X")->back() == 'y');
  CHECK(request_parser{}.next(of(head_bytes_cap + 1), bounds, head).why == error::head_too_large);
}

TEST_CASE("request_parser accepts fields at their limit and none above", "[protocol][rfc6585-5]") {
  limits bounds;
  bounds.fields_max = 4;
  CHECK(parse_head(with_fields("A:1\r\nB:2\r\nC:3\r\n"), bounds).kind == event_kind::head);
  CHECK(refusal_of(with_fields("A:1\r\nB:2\r\nC:3\r\nD:4\r\n"), bounds) == error::too_many_fields);
}

TEST_CASE("request_parser accepts a field name at its limit and none above",
          "[protocol][rfc6585-5]") {
  limits bounds;
  bounds.field_name_bytes_max = 20;
  CHECK(parse_head(with_fields(std::string(20, 'n') + ": v\r\n"), bounds).kind == event_kind::head);
  CHECK(refusal_of(with_fields(std::string(21, 'n') + ": v\r\n"), bounds) ==
        error::field_name_too_long);
}

TEST_CASE("request_parser forgets one head before the next", "[protocol]") {
  request_head head(8);
  const limits bounds;
  request_parser parser;
  const std::string first =
      "POST http://b?q HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n";
  REQUIRE(parser.next(first, bounds, head).kind == event_kind::head);
  parser.reset();
  const std::string second = "GET /x HTTP/1.1\r\nHost: c\r\n\r\n";
  REQUIRE(parser.next(second, bounds, head).kind == event_kind::head);
  CHECK(describe(head) == describe(*sample_head(second)));
}
