#include "tests/protocol/peer.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;
using Catch::EndsWith;
using Catch::StartsWith;

// --- the end

TEST_CASE("server_connection refuses a message that the peer cut short", "[protocol][rfc9112-8]") {
  const std::string messages[] = {
      with_fields("Content-Length: 5\r\n") + "hello",
      with_fields("Transfer-Encoding: chunked\r\n") + "1\r\nx\r\n0\r\nA: b\r\n\r\n"};
  for (const std::string& message : messages) {
    for (std::size_t length = 1; length < message.size(); ++length) {
      peer client(message.substr(0, length));
      client.connection.end_of_stream();
      event_kind last = event_kind::need_more;
      for (int i = 0; i < 5 && last != event_kind::refused; ++i) {
        last = client.kind();
      }
      INFO(length);
      CHECK(last == event_kind::refused);
      CHECK(client.connection.error() == error::incomplete_message);
    }
  }
}

TEST_CASE("server_connection ends silently between requests", "[protocol][rfc9112-9.6]") {
  peer client;
  client.connection.end_of_stream();
  CHECK(client.kind() == event_kind::need_more);
  CHECK(client.connection.must_close());
  CHECK(client.connection.error() == error::none);
}

TEST_CASE("server_connection answers a client that only stopped sending",
          "[protocol][rfc9112-9.6]") {
  peer client(get);
  client.connection.end_of_stream();
  CHECK(client.kind() == event_kind::head);
  CHECK(client.kind() == event_kind::end);
  CHECK(client.kind() == event_kind::need_more);
  CHECK_FALSE(client.connection.must_close());
  CHECK_FALSE(client.respond(response::bytes("")));
  CHECK(client.output == ok(""));
  CHECK(client.kind() == event_kind::need_more);
  CHECK(client.connection.must_close());
}

TEST_CASE("server_connection refuses for the session", "[protocol][rfc9110-15.5.9]") {
  peer client("GET / HT");
  CHECK(client.kind() == event_kind::need_more);
  client.connection.refuse(error::head_timeout);
  client.connection.refuse(error::overloaded);  // too late: errors are final
  CHECK(client.kind() == event_kind::refused);
  CHECK(client.connection.error() == error::head_timeout);
  CHECK(client.connection.response_owed());
  client.connection.write_refusal(date, client.output);
  client.connection.write_refusal(date, client.output);
  CHECK_THAT(client.output, StartsWith("HTTP/1.1 408 ") && EndsWith("in time.\n"));
  CHECK(client.connection.must_close());
  CHECK(client.kind() == event_kind::refused);
}

TEST_CASE("server_connection refuses between requests with content after a HEAD too",
          "[protocol][rfc9110-9.3.2]") {
  peer client("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  client.next();
  client.next();
  CHECK_FALSE(client.respond(response()));
  client.connection.refuse(error::shutting_down);
  client.connection.write_refusal(date, client.output);
  CHECK_THAT(client.output, EndsWith(std::string(text_of(error::shutting_down)) + "\n"));
}

TEST_CASE("server_connection gives no second answer when late content is bad",
          "[protocol][rfc9112-9.3]") {
  peer client(with_fields("Transfer-Encoding: chunked\r\n") + "bad");
  client.next();
  CHECK_FALSE(client.respond(response(404)));
  const std::string output = client.output;
  client.input.replace(client.consumed, 3, "zzz");
  CHECK(client.kind() == event_kind::refused);
  client.connection.write_refusal(date, client.output);
  CHECK(client.output == output);
  CHECK(client.connection.must_close());
}

TEST_CASE("server_connection drops a response that comes after a refusal", "[protocol]") {
  peer client(with_fields("Transfer-Encoding: chunked\r\n") + "x");
  client.next();
  CHECK(client.kind() == event_kind::refused);
  CHECK(client.respond(response()) == write_error::connection_closed);
  client.connection.write_refusal(date, client.output);
  CHECK_THAT(client.output, StartsWith("HTTP/1.1 400 "));
}

// --- trailers

TEST_CASE("server_connection gives the trailers of a request at its end",
          "[protocol][rfc9110-6.5]") {
  peer client(with_fields("Transfer-Encoding: chunked\r\n") +
              "1\r\nx\r\n0\r\nX-Sum: abc\r\nX: \r\n\r\n" + get);
  client.next();
  client.next();
  const event end = client.next();
  CHECK(end.kind == event_kind::end);
  CHECK(describe(trailer_fields(end.trailers)) == "X-Sum=abc|X=|");
  CHECK_FALSE(client.head.find("X-Sum"));
  CHECK_FALSE(client.respond(response()));
  CHECK(client.kind() == event_kind::head);
  CHECK(client.next().trailers.empty());
}

// --- RFC 9110 section 7.8

TEST_CASE("server_connection switches protocols when asked", "[protocol][rfc9110-7.8]") {
  peer client(with_fields("Connection: upgrade\r\nUpgrade: x\r\n") + "other protocol");
  client.next();
  const response answer = response(101).set("Upgrade", "x");
  CHECK(client.respond(answer) == write_error::request_not_read);
  client.next();
  CHECK(client.respond(response(101)) == write_error::upgrade_unnamed);
  CHECK_FALSE(client.connection.respond(client.head, answer, {}, client.output));
  CHECK(client.output ==
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
  CHECK(client.connection.switched());
  CHECK_FALSE(client.connection.must_close());
  CHECK(client.kind() == event_kind::need_more);
  CHECK(client.input.substr(client.consumed) == "other protocol");
}

TEST_CASE("server_connection switches for no request that did not ask", "[protocol][rfc9110-7.8]") {
  peer client(get);
  client.next();
  client.next();
  CHECK(client.respond(response(101).set("Upgrade", "x")) == write_error::upgrade_not_requested);
}

TEST_CASE("server_connection switches to protocols on offer only", "[protocol][rfc9110-7.8]") {
  peer client(with_fields("Connection: upgrade\r\nUpgrade: a/1, b\r\nUpgrade: c\r\n"));
  client.next();
  client.next();
  for (const char* other : {"d", "a", "a/1, d"}) {
    CHECK(client.respond(response(101).set("Upgrade", other)) == write_error::upgrade_not_offered);
  }
  CHECK(client.connection.begin_stream(client.head, response(101).set("Upgrade", "c"), date,
                                       client.output) == write_error::content_not_allowed);
  CHECK(client.output.empty());
  const response answer = response(101).set("Upgrade", "C").add("Sec-X", "own");
  CHECK_FALSE(client.respond(answer));
  CHECK_THAT(client.output, Catch::Contains("Sec-X: own\r\nConnection: upgrade\r\n\r\n"));
}

TEST_CASE("server_connection goes on when nobody takes an upgrade", "[protocol][rfc9110-7.8]") {
  const dialogue talk =
      converse(with_fields("Connection: upgrade\r\nUpgrade: x\r\n") + std::string(get));
  CHECK(talk.output == ok("") + ok(""));
  CHECK(talk.unconsumed == 0);
}

TEST_CASE("server_connection interprets nothing of the other protocol", "[protocol][rfc9110-7.8]") {
  peer client(with_fields("Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n") + "a" +
              get);
  client.next();
  CHECK(client.next().content == "a");
  CHECK(client.kind() == event_kind::end);
  CHECK_FALSE(client.respond(response(101).set("Upgrade", "x")));
  const std::string output = client.output;
  client.connection.end_of_stream();
  client.connection.refuse(error::shutting_down);
  client.connection.write_refusal(date, client.output);
  CHECK(client.kind() == event_kind::need_more);
  CHECK(client.connection.switched());
  CHECK(client.connection.error() == error::none);
  CHECK(client.output == output);
  CHECK(client.input.substr(client.consumed) == get);
}
