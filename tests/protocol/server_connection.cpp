#include "protocol/server_connection.hpp"

#include "tests/protocol/peer.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;

TEST_CASE("server_connection is small", "[protocol]") {
  CHECK(sizeof(server_connection) <= 96);
}

// --- whole conversations, for every splitting of the input

TEST_CASE("server_connection answers requests in order on one connection",
          "[protocol][rfc9112-9.3.2]") {
  const dialogue talk = converse(with_fields("Content-Length: 3\r\n") + "abc" + get +
                                 with_fields("Transfer-Encoding: chunked\r\n") +
                                 "2;x=y\r\nde\r\n1\r\nf\r\n0\r\nT: 1\r\n\r\n");
  CHECK(talk.output == ok("abc") + ok("") + ok("def"));
  CHECK_FALSE(talk.must_close);
  CHECK(talk.unconsumed == 0);
}

TEST_CASE("server_connection frames content that looks like a request", "[protocol][rfc9112-6.3]") {
  const std::string inner = get;
  CHECK(converse(with_fields("Content-Length: " + std::to_string(inner.size()) + "\r\n") + inner)
            .output == ok(inner));
}

TEST_CASE("server_connection takes no content without framing", "[protocol][rfc9112-6.3]") {
  const dialogue talk = converse(with_fields("") + "hello\r\n\r\n");
  CHECK_THAT(talk.output, StartsWith(ok("") + "HTTP/1.1 400 "));
  CHECK(talk.why == error::bad_request_line);
}

TEST_CASE("server_connection interprets nothing behind a close", "[protocol][rfc9112-9.6]") {
  const dialogue talk = converse(with_fields("Connection: close\r\n") + get);
  CHECK(talk.output == ok("", close_line));
  CHECK(talk.must_close);
  CHECK(talk.why == error::none);
}

TEST_CASE("server_connection interprets nothing behind a refusal", "[protocol][rfc9112-11.2]") {
  for (const std::string& bad :
       {with_fields("Bad Name: x\r\n"), with_fields("Content-Length: 5x\r\n"),
        std::string("GET / HTTP/1.1\r\n\r\n"),
        with_fields("Transfer-Encoding: chunked\r\n") + "x\r\n"}) {
    INFO(bad);
    const dialogue talk = converse(bad + get + get);
    CHECK(talk.why != error::none);
    CHECK(talk.must_close);
    CHECK_THAT(talk.output, StartsWith("HTTP/1.1 400 ") && Contains(close_line));
    CHECK_THAT(talk.output, !Contains("200 OK"));
  }
}

TEST_CASE("server_connection answers what came before a bad request", "[protocol][rfc9112-9.3.2]") {
  const dialogue talk = converse(std::string(get) + "GET / HTTP/1.1\r\nX : y\r\n\r\n");
  CHECK_THAT(talk.output, StartsWith(ok("") + "HTTP/1.1 400 "));
}

TEST_CASE("server_connection keeps or ends HTTP/1.0 connections", "[protocol][rfc9112-9.3]") {
  CHECK(converse(get10).output == ok("", close_line));
  CHECK(converse(get10).must_close);
  const dialogue talk =
      converse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + std::string(get));
  CHECK(talk.output == ok("", "Connection: keep-alive\r\n") + ok(""));
}

TEST_CASE("server_connection gives HEAD no content", "[protocol][rfc9110-9.3.2]") {
  const dialogue talk = converse("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(get),
                                 [](const auto&, const auto&) { return response::bytes("home"); });
  CHECK(talk.output == ok("home").substr(0, ok("home").size() - 4) + ok("home"));
}

TEST_CASE("server_connection refuses a HEAD without content", "[protocol][rfc9110-9.3.2]") {
  CHECK_THAT(converse("HEAD / HTTP/1.1\r\n\r\n").output,
             EndsWith("\r\n\r\n") && StartsWith("HTTP/1.1 400 "));
}

TEST_CASE("server_connection says with every refusal what was wrong", "[protocol][rfc9110-15.5]") {
  for (const auto& [input, status] : std::initializer_list<std::pair<std::string, std::string>>{
           {"GET /" + std::string(9000, 'a'), "414 URI Too Long"},
           {"GET / HTTP/2.0\r\n", "505 HTTP Version Not Supported"},
           {with_fields("Expect: tea\r\n"), "417 Expectation Failed"},
           {with_fields("Content-Length: 99999999999\r\n"), "413 Content Too Large"},
           {with_fields("Transfer-Encoding: gzip\r\n"), "501 Not Implemented"}}) {
    peer client(input);
    CHECK(client.kind() == event_kind::refused);
    client.connection.write_refusal(date, client.output);
    CHECK_THAT(client.output, StartsWith("HTTP/1.1 " + status) && Contains(close_line) &&
                                  EndsWith(std::string(text_of(client.connection.error())) + "\n"));
  }
}

// --- step by step

TEST_CASE("server_connection hands out events one by one", "[protocol]") {
  peer client(with_fields("Content-Length: 5\r\n") + "hello" + get);
  CHECK(client.connection.idle());
  CHECK(client.connection.request_done());
  CHECK(client.kind() == event_kind::head);
  CHECK_FALSE(client.connection.idle());
  CHECK_FALSE(client.connection.request_done());
  CHECK(client.connection.response_owed());
  CHECK(client.next().content == "hello");
  CHECK(client.kind() == event_kind::end);
  CHECK(client.connection.request_done());
  SECTION("and waits with the next request until the response is out") {
    const std::size_t before = client.consumed;
    CHECK(client.kind() == event_kind::need_more);
    CHECK(client.consumed == before);
    CHECK_FALSE(client.respond(response()));
    CHECK_FALSE(client.connection.response_owed());
    CHECK(client.connection.idle());
    CHECK(client.kind() == event_kind::head);
  }
}

TEST_CASE("server_connection still delivers content that came too late",
          "[protocol][rfc9112-9.3]") {
  peer client(with_fields("Content-Length: 5\r\n") + "hello" + get);
  CHECK(client.kind() == event_kind::head);
  CHECK_FALSE(client.respond(response(404)));
  CHECK(client.connection.response_started());
  CHECK_FALSE(client.connection.response_owed());
  CHECK(client.kind() == event_kind::content);
  CHECK(client.kind() == event_kind::end);
  CHECK(client.kind() == event_kind::head);
}

TEST_CASE("server_connection writes no answer twice", "[protocol]") {
  peer client;
  CHECK(client.respond(response()) == write_error::no_request);
  client.input = get;
  CHECK(client.kind() == event_kind::head);
  CHECK(client.kind() == event_kind::end);
  CHECK_FALSE(client.respond(response()));
  const std::string output = client.output;
  CHECK(client.respond(response()) == write_error::response_already_sent);
  CHECK(client.connection.begin_stream(client.head, response(), date, client.output) ==
        write_error::response_already_sent);
  CHECK(client.output == output);
}

TEST_CASE("server_connection leaves the response owed after a fault", "[protocol]") {
  peer client(get);
  client.next();
  CHECK(client.respond(response(204).set_content("x")) == write_error::content_not_allowed);
  CHECK(client.output.empty());
  CHECK(client.connection.response_owed());
  CHECK_FALSE(client.respond(response(500)));
}

TEST_CASE("server_connection closes behind the response when told", "[protocol][rfc9112-9.6]") {
  peer client(get);
  client.next();
  client.next();
  SECTION("by the handler") {
    CHECK_FALSE(client.respond(response().close()));
  }
  SECTION("by the session") {
    client.connection.close_after_response();
    CHECK_FALSE(client.respond(response()));
  }
  CHECK_THAT(client.output, Contains(close_line));
  CHECK(client.connection.must_close());
  CHECK(client.kind() == event_kind::need_more);
}

TEST_CASE("server_connection writes only the head for a caller that sends the content",
          "[protocol]") {
  peer client(get);
  client.next();
  CHECK_FALSE(
      client.connection.respond_head(client.head, response::bytes("big"), date, client.output));
  CHECK(client.output + "big" == ok("big"));
}
