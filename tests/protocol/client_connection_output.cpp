#include "tests/protocol/client_peer.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;
using Catch::EndsWith;

namespace {

const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";

request upload() {
  return asking("POST").set_content("hello").expect_continue();
}

}  // namespace

TEST_CASE("client_connection sends head and content", "[protocol][rfc9112-6]") {
  client_peer client;
  CHECK(client.connection.idle());
  CHECK_FALSE(client.send(asking("POST").set_content("hello")));
  CHECK(client.output == "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\nhello");
  CHECK(client.connection.request_done());
  CHECK_FALSE(client.connection.idle());
  CHECK(client.connection.unanswered() == 1);
}

TEST_CASE("client_connection streams content of known length", "[protocol][rfc9112-6.2]") {
  client_peer client;
  std::string& out = client.output;
  CHECK(client.connection.write_stream("x", out) == write_error::not_streaming);
  CHECK_FALSE(client.connection.begin_stream(asking("PUT"), 5, out));
  CHECK(client.send(asking()) == write_error::request_unfinished);
  CHECK_FALSE(client.connection.write_stream("he", out));
  CHECK_FALSE(client.connection.write_stream("", out));
  CHECK(client.connection.finish_stream(out) == write_error::wrong_length);
  CHECK(client.connection.write_stream("llo!", out) == write_error::wrong_length);
  CHECK_FALSE(client.connection.write_stream("llo", out));
  CHECK_FALSE(client.connection.finish_stream(out));
  CHECK_THAT(out, EndsWith("Content-Length: 5\r\n\r\nhello"));
  CHECK(client.connection.finish_stream(out) == write_error::not_streaming);
  CHECK(client.connection.ready());
}

TEST_CASE("client_connection streams content of unknown length in chunks",
          "[protocol][rfc9112-7.1]") {
  client_peer client;
  std::string& out = client.output;
  CHECK_FALSE(client.connection.begin_stream(asking("PUT"), std::nullopt, out));
  CHECK_FALSE(client.connection.write_stream("hello", out));
  CHECK_FALSE(client.connection.write_stream("", out));
  CHECK_FALSE(client.connection.finish_stream(out));
  CHECK_THAT(out, EndsWith("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
}

TEST_CASE("client_connection pipelines so many requests and no more", "[protocol][rfc9112-9.3.2]") {
  client_peer client(ok_hello);
  for (std::size_t i = 0; i < pipelined_requests_max; ++i) {
    CHECK(client.connection.ready());
    CHECK_FALSE(client.send(asking()));
  }
  const std::string before = client.output;
  CHECK_FALSE(client.connection.ready());
  CHECK(client.send(asking()) == write_error::too_many_requests);
  CHECK(client.output == before);
  CHECK(client.kind() == event_kind::head);
  CHECK_FALSE(client.send(asking()));
}

TEST_CASE("client_connection sends no content where there can be none",
          "[protocol][rfc9110-9.3.8]") {
  client_peer client;
  for (const char* method : {"CONNECT", "TRACE"}) {
    CHECK(client.send(asking(method).set_content("x")) == write_error::content_not_allowed);
    CHECK(client.connection.begin_stream(asking(method), std::nullopt, client.output) ==
          write_error::content_not_allowed);
  }
  CHECK(client.output.empty());
  CHECK(client.connection.idle());
}

// --- RFC 9110 section 10.1.1

TEST_CASE("client_connection holds content back until it is wanted", "[protocol][rfc9110-10.1.1]") {
  client_peer client(go_on + ok_hello);
  std::string& out = client.output;
  CHECK_FALSE(client.send(upload()));
  CHECK_THAT(out, EndsWith("Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"));
  CHECK(client.connection.holds_content());
  CHECK(client.connection.write_stream("hello", out) == write_error::content_held);
  CHECK(client.connection.finish_stream(out) == write_error::content_held);
  SECTION("by the server") {
    CHECK(client.kind() == event_kind::head);
    CHECK(client.head.status() == 100);
  }
  SECTION("by the caller") {
    client.connection.release_content();
    CHECK(client.kind() == event_kind::head);  // a 100 that comes late is no more than that
  }
  CHECK_FALSE(client.connection.holds_content());
  CHECK_FALSE(client.connection.write_stream("hello", out));
  CHECK_FALSE(client.connection.finish_stream(out));
  CHECK_THAT(out, EndsWith("\r\n\r\nhello"));
  CHECK(client.kind() == event_kind::head);
  CHECK(client.kind() == event_kind::content);
  CHECK(client.kind() == event_kind::end);
  CHECK(client.connection.ready());
}

TEST_CASE("client_connection sends no content behind a final response that came first",
          "[protocol][rfc9110-10.1.1]") {
  client_peer client("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno");
  CHECK_FALSE(client.send(upload()));
  CHECK(client.kind() == event_kind::head);
  CHECK_FALSE(client.connection.holds_content());
  CHECK(client.connection.write_stream("hello", client.output) == write_error::connection_closed);
  CHECK(client.next().content == "no");
  CHECK_FALSE(client.connection.must_close());
  CHECK(client.kind() == event_kind::end);
  CHECK(client.connection.must_close());
  CHECK(client.connection.error() == error::none);
}

TEST_CASE("client_connection tells for which request content is wanted",
          "[protocol][rfc9110-10.1.1]") {
  client_peer client(go_on + ok_hello + go_on);
  CHECK_FALSE(client.send(asking()));
  CHECK_FALSE(client.send(upload()));
  CHECK(client.kind() == event_kind::head);
  CHECK(client.connection.holds_content());  // that was for the request before
  CHECK(client.kind() == event_kind::head);
  CHECK(client.connection.holds_content());  // and so is its final response
  client.next();
  CHECK(client.kind() == event_kind::end);
  CHECK(client.kind() == event_kind::head);
  CHECK_FALSE(client.connection.holds_content());
}

TEST_CASE("client_connection does not wait when there is no content",
          "[protocol][rfc9110-10.1.1]") {
  client_peer client;
  CHECK_FALSE(client.send(asking("POST").expect_continue()));
  CHECK_THAT(client.output, !Catch::Contains("Expect"));
  CHECK(client.connection.request_done());
}

// --- responses before the end of their request, RFC 9112 section 9.5

TEST_CASE("client_connection finishes a request that has its response already",
          "[protocol][rfc9112-9.5]") {
  client_peer client(ok_hello);
  CHECK_FALSE(client.connection.begin_stream(asking("PUT").set("Upgrade", "x"), 5, client.output));
  client.next();
  client.next();
  CHECK(client.kind() == event_kind::end);
  CHECK_FALSE(client.connection.must_close());
  CHECK_FALSE(client.connection.idle());
  CHECK(client.send(asking()) == write_error::request_unfinished);
  SECTION("and goes on") {
    CHECK_FALSE(client.connection.write_stream("hello", client.output));
    CHECK_FALSE(client.connection.finish_stream(client.output));
    CHECK(client.connection.ready());
    CHECK(client.connection.idle());
  }
  SECTION("or abandons it and ends") {
    client.connection.abandon_request();
    CHECK(client.connection.must_close());
  }
}

TEST_CASE("client_connection ends behind the response to an abandoned request",
          "[protocol][rfc9112-9.5]") {
  client_peer client("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n");
  CHECK_FALSE(client.connection.begin_stream(asking("PUT"), std::nullopt, client.output));
  client.connection.abandon_request();
  CHECK(client.connection.finish_stream(client.output) == write_error::connection_closed);
  CHECK_THAT(client.output, !EndsWith("0\r\n\r\n"));  // the server sees that it is cut
  CHECK_FALSE(client.connection.must_close());
  CHECK(client.kind() == event_kind::head);
  CHECK(client.kind() == event_kind::end);
  CHECK(client.connection.must_close());
}
