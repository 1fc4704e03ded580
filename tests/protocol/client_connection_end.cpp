#include "tests/protocol/client_peer.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

// --- which response is the last, RFC 9112 sections 9.3 and 9.6

TEST_CASE("client_connection keeps or ends connections as the response says",
          "[protocol][rfc9112-9.3]") {
  const auto closes = [](const std::string& input, bool ends = false) {
    return receive(input, {asking()}, ends).must_close;
  };
  const std::string length = "Content-Length: 0\r\n";
  CHECK_FALSE(closes(ok_with(length)));
  CHECK(closes(ok_with(length + "Connection: x, CLOSE\r\n")));
  CHECK_FALSE(closes(ok_with(length + "Connection: x-close, not-close\r\n")));
  CHECK_FALSE(closes(ok_with(length + "Connection: \r\n")));
  CHECK(closes("HTTP/1.0 200 OK\r\n" + length + "\r\n"));
  CHECK_FALSE(closes("HTTP/1.0 200 OK\r\n" + length + "Connection: keep-alive\r\n\r\n"));
  CHECK(closes("HTTP/1.0 200 OK\r\n" + length + "Connection: keep-alive, close\r\n\r\n"));
  CHECK(closes(ok_with("Connection: keep-alive\r\n"), true));
}

TEST_CASE("client_connection interprets nothing behind a close", "[protocol][rfc9112-9.6]") {
  const received all = receive(ok_with("Content-Length: 0\r\nConnection: close\r\n") + ok_hello,
                               {asking(), asking()});
  CHECK(all == received{"200 []", error::none, true, false, 1, ok_hello.size()});
}

TEST_CASE("client_connection ends behind a request that said so", "[protocol][rfc9112-9.6]") {
  client_peer client(ok_hello + ok_hello);
  CHECK_FALSE(client.send(asking()));
  CHECK_FALSE(client.send(asking().close()));
  CHECK_THAT(client.output, Catch::EndsWith("\r\nConnection: close\r\n\r\n"));
  CHECK_FALSE(client.connection.ready());
  CHECK(client.send(asking()) == write_error::connection_closed);
  for (int i = 0; i < 3; ++i) {
    client.next();
  }
  CHECK_FALSE(client.connection.must_close());
  for (int i = 0; i < 3; ++i) {
    client.next();
  }
  CHECK(client.connection.must_close());
  CHECK(client.connection.error() == error::none);
}

TEST_CASE("client_connection refuses what answers no request", "[protocol][rfc9112-9.2]") {
  CHECK(receive(ok_hello + "x") == received{"200 hello[]", error::unexpected_response, true});
  client_peer client("HTTP/1.1 408 Request Timeout\r\n\r\n");
  CHECK(client.next().why == error::unexpected_response);
  CHECK(client.send(asking()) == write_error::connection_closed);
}

// --- the end of the stream, RFC 9112 section 8

TEST_CASE("client_connection refuses a response that the server cut short",
          "[protocol][rfc9112-8]") {
  for (const std::string& message : {ok_hello, ok_chunked}) {
    for (std::size_t length = 1; length < message.size(); ++length) {
      INFO(length);
      const received cut = receive(message.substr(0, length), {asking()}, true);
      CHECK(cut.why == error::incomplete_message);
      CHECK(cut.must_close);
    }
  }
}

TEST_CASE("client_connection tells a response that never began from one cut short",
          "[protocol][rfc9112-9.5]") {
  CHECK(receive("", {asking()}, true).why == error::missing_response);
  CHECK(receive(ok_hello, {asking(), asking()}, true) ==
        received{"200 hello[]", error::missing_response, true, false, 1, 0});
  CHECK(refusal_of_response("HTTP/1.1 100 Continue\r\n\r\n", true) == error::incomplete_message);
}

TEST_CASE("client_connection ends silently between exchanges", "[protocol][rfc9112-9.6]") {
  CHECK(receive("", {}, true) == received{"", error::none, true});
  CHECK(receive(ok_hello, {asking()}, true) == received{"200 hello[]", error::none, true});
}

TEST_CASE("client_connection refuses for its caller", "[protocol]") {
  client_peer client("HTTP/1.1 2");
  CHECK_FALSE(client.send(asking()));
  CHECK(client.kind() == event_kind::need_more);
  client.connection.refuse(error::head_timeout);
  client.connection.refuse(error::internal);  // too late: errors are final
  CHECK(client.next().why == error::head_timeout);
  CHECK(client.connection.must_close());
  CHECK(client.connection.unanswered() == 1);
  client.connection.end_of_stream();
  CHECK(client.next().why == error::head_timeout);
}
