#include "tests/protocol/peer.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;
using Catch::Contains;

// --- RFC 9110 section 10.1.1

TEST_CASE("server_connection invites content once", "[protocol][rfc9110-10.1.1]") {
  peer client(with_fields("Content-Length: 5\r\nExpect: 100-continue\r\n"));
  CHECK_FALSE(client.connection.write_continue(client.output));
  CHECK(client.kind() == event_kind::head);
  CHECK(client.connection.write_continue(client.output));
  CHECK(client.output == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK_FALSE(client.connection.write_continue(client.output));
  client.input += "hello";
  CHECK(client.kind() == event_kind::content);
  CHECK(client.kind() == event_kind::end);
  CHECK_FALSE(client.respond(response()));
  CHECK_FALSE(client.connection.must_close());
}

TEST_CASE("server_connection does not invite content that has begun",
          "[protocol][rfc9110-10.1.1]") {
  peer client(with_fields("Content-Length: 5\r\nExpect: 100-continue\r\n") + "h");
  client.next();
  CHECK(client.kind() == event_kind::content);
  CHECK_FALSE(client.connection.write_continue(client.output));
}

TEST_CASE("server_connection closes when it answers without inviting",
          "[protocol][rfc9110-10.1.1]") {
  peer client(with_fields("Content-Length: 5\r\nExpect: 100-continue\r\n"));
  client.next();
  CHECK_FALSE(client.respond(response(404)));
  CHECK_THAT(client.output, Contains(close_line));
  CHECK(client.connection.must_close());
  CHECK_FALSE(client.connection.write_continue(client.output));
}

// --- streams

TEST_CASE("server_connection streams in chunks", "[protocol][rfc9112-7.1]") {
  peer client(get);
  client.next();
  client.next();
  auto& connection = client.connection;
  CHECK(connection.write_stream("x", client.output) == write_error::not_streaming);
  CHECK(connection.finish_stream(client.output) == write_error::not_streaming);
  CHECK_FALSE(
      connection.begin_stream(client.head, response().set_content("ab"), {}, client.output));
  CHECK(connection.response_started());
  CHECK_FALSE(connection.write_stream("", client.output));
  CHECK_FALSE(connection.write_stream("0123456789", client.output));
  CHECK(connection.response_owed());
  CHECK_FALSE(connection.finish_stream(client.output));
  CHECK(connection.finish_stream(client.output) == write_error::not_streaming);
  CHECK(client.output ==
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
        "chunked\r\n\r\n2\r\nab\r\na\r\n0123456789\r\n0\r\n\r\n");
  CHECK(connection.idle());
}

TEST_CASE("server_connection streams to HTTP/1.0 until the end of the connection",
          "[protocol][rfc9112-6.3]") {
  peer client("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  client.next();
  client.next();
  CHECK_FALSE(client.connection.begin_stream(client.head, response(), {}, client.output));
  CHECK_FALSE(client.connection.write_stream("ab", client.output));
  CHECK_FALSE(client.connection.finish_stream(client.output));
  CHECK(client.output == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nab");
  CHECK(client.connection.must_close());
}

TEST_CASE("server_connection streams no content to HEAD", "[protocol][rfc9110-9.3.2]") {
  peer client("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  client.next();
  client.next();
  CHECK_FALSE(client.connection.begin_stream(client.head, response(), {}, client.output));
  CHECK_FALSE(client.connection.write_stream("ab", client.output));
  CHECK_FALSE(client.connection.finish_stream(client.output));
  CHECK(client.output == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(client.connection.idle());
}

TEST_CASE("server_connection leaves an abandoned stream without its last chunk",
          "[protocol][rfc9112-8]") {
  peer client(get);
  client.next();
  client.next();
  CHECK_FALSE(client.connection.begin_stream(client.head, response(), {}, client.output));
  CHECK_FALSE(client.connection.write_stream("ab", client.output));
  const std::string output = client.output;
  client.connection.refuse(error::internal);
  client.connection.write_refusal(date, client.output);
  CHECK(client.output == output);
  CHECK(client.connection.must_close());
  CHECK(client.connection.write_stream("c", client.output) == write_error::connection_closed);
}
