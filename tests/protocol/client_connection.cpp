#include "protocol/client_connection.hpp"

#include "tests/protocol/client_peer.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

TEST_CASE("client_connection is small", "[protocol]") {
  CHECK(sizeof(client_connection) <= 256);
}

// --- whole responses, for every splitting of the input

TEST_CASE("client_connection reads content in each framing", "[protocol][rfc9112-6.3]") {
  CHECK(receive(ok_hello) == received{"200 hello[]"});
  CHECK(receive(ok_with("Content-Length: 0\r\n")) == received{"200 []"});
  CHECK(receive(ok_chunked) == received{"200 hello[X=y|]"});
  const received until_close = receive(ok_with("", "hello\r\n"), {asking()}, true);
  CHECK(until_close == received{"200 hello\r\n[]", error::none, true});
  CHECK(receive(ok_with("", "hello")).text == "200 hello");  // no end without the end
}

TEST_CASE("client_connection reads pipelined responses in order", "[protocol][rfc9112-9.3.2]") {
  const received all = receive(ok_hello + "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\n" +
                                   ok_chunked + "HTTP/1.1 204 No Content\r\n\r\n",
                               {asking(), asking("HEAD"), asking("POST"), asking("DELETE")});
  CHECK(all == received{"200 hello[]404 []200 hello[X=y|]204 []"});
}

TEST_CASE("client_connection reads no content where there can be none", "[protocol][rfc9112-6.3]") {
  for (const char* lines : {"", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
                            "Content-Length: 99999999999\r\n", "Content-Length: 5x\r\n",
                            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"}) {
    INFO(lines);
    const std::string fields = std::string(lines) + "\r\n";
    CHECK(receive("HTTP/1.1 200 OK\r\n" + fields, {asking("HEAD")}) == received{"200 []"});
    CHECK(receive("HTTP/1.1 204 x\r\n" + fields) == received{"204 []"});
    CHECK(receive("HTTP/1.1 304 x\r\n" + fields) == received{"304 []"});
    const received tunnel = receive("HTTP/1.1 200 OK\r\n" + fields + "raw", {asking("CONNECT")});
    CHECK(tunnel == received{"200 ", error::none, false, true, 0, 3});
  }
}

TEST_CASE("client_connection reads the content of a refused CONNECT", "[protocol][rfc9110-9.3.6]") {
  CHECK(receive("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno" + ok_hello, {asking("CONNECT")}) ==
        received{"403 no[]", error::unexpected_response, true});
}

TEST_CASE("client_connection refuses ambiguous framing", "[protocol][rfc9112-11.2]") {
  for (const auto& [lines, why] : std::initializer_list<std::pair<std::string, error>>{
           {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", error::both_framings},
           {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", error::both_framings},
           {"Content-Length: 5\r\nContent-Length: 5\r\n", error::repeated_content_length},
           {"Content-Length: 5, 5\r\n", error::bad_content_length},
           {"Content-Length: -5\r\n", error::bad_content_length},
           {"Content-Length: 05\r\n", error::bad_content_length},
           {"Content-Length: \r\n", error::bad_content_length},
           {"Content-Length: 18446744073709551621\r\n", error::content_too_large},
           {"Transfer-Encoding: gzip\r\n", error::unsupported_transfer_coding},
           {"Transfer-Encoding: gzip, chunked\r\n", error::unsupported_transfer_coding},
           {"Transfer-Encoding: chunked, chunked\r\n", error::bad_transfer_encoding},
           {"Transfer-Encoding: \r\n", error::bad_transfer_encoding}}) {
    INFO(lines);
    const received refused = receive(ok_with(lines, "5\r\nhello\r\n0\r\n\r\n"));
    CHECK(refused.why == why);
    CHECK(refused.must_close);
    CHECK(refused.text.empty());
    CHECK(refused.unanswered == 1);
  }
  CHECK(refusal_of_response("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n") ==
        error::transfer_encoding_in_http10);
}

TEST_CASE("client_connection refuses malformed chunks", "[protocol][rfc9112-7.1]") {
  for (const auto& [content, why] : std::initializer_list<std::pair<std::string, error>>{
           {"0x5\r\nhello\r\n0\r\n\r\n", error::bad_chunk_size},
           {"5\nhello\r\n0\r\n\r\n", error::bare_lf},
           {"5\r\nhelloXX0\r\n\r\n", error::bad_chunk_end},
           {"5;\r\nhello\r\n0\r\n\r\n", error::bad_chunk_extension},
           {"0\r\nX Y\r\n\r\n", error::space_before_colon},
           {"0\r\nContent-Length: 5\r\n\r\n", error::forbidden_trailer_field}}) {
    INFO(content);
    CHECK(refusal_of_response(ok_with("Transfer-Encoding: chunked\r\n", content)) == why);
  }
}

TEST_CASE("client_connection bounds content in each framing", "[protocol]") {
  limits bounds;
  bounds.content_bytes_max = 5;
  const auto fault = [&](const std::string& input, bool ends = false) {
    return receive(input, {asking()}, ends, bounds).why;
  };
  CHECK(fault(ok_hello) == error::none);
  CHECK(fault(ok_chunked) == error::none);
  CHECK(fault(ok_with("", "hello"), true) == error::none);
  CHECK(fault(ok_with("Content-Length: 6\r\n")) == error::content_too_large);
  CHECK(fault(ok_with("Transfer-Encoding: chunked\r\n", "6\r\n")) == error::content_too_large);
  CHECK(fault(ok_with("", "hello!"), true) == error::content_too_large);
}

// --- RFC 9110 section 15.2

TEST_CASE("client_connection reports interim responses before the response",
          "[protocol][rfc9110-15.2]") {
  CHECK(receive("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" +
                ok_hello) == received{"(100)(103)200 hello[]"});
  CHECK(receive("HTTP/1.1 199 Odd\r\nContent-Length: 5\r\n\r\n" + ok_hello) ==
        received{"(199)200 hello[]"});
}

TEST_CASE("client_connection bounds interim responses", "[protocol][rfc9110-15.2]") {
  limits bounds;
  bounds.interim_responses_max = 2;
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n";
  CHECK(receive(interim + interim + ok_hello + interim + interim + ok_hello, {asking(), asking()},
                false, bounds) == received{"(100)(100)200 hello[](100)(100)200 hello[]"});
  CHECK(receive(interim + interim + interim, {asking()}, false, bounds).why ==
        error::too_many_interim_responses);
}

// --- RFC 9110 section 7.8

TEST_CASE("client_connection hands over after a switch of protocols", "[protocol][rfc9110-7.8]") {
  const std::string accepted =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n";
  const received after = receive("HTTP/1.1 100 Continue\r\n\r\n" + accepted + "other protocol",
                                 {asking().set("Upgrade", "x")});
  CHECK(after == received{"(100)101 ", error::none, false, true, 0, 14});
  SECTION("and refuses one that nobody asked for") {
    CHECK(refusal_of_response(accepted) == error::unexpected_switch);
    CHECK(receive(accepted, {asking("CONNECT")}).why == error::unexpected_switch);
  }
  SECTION("and goes on when the server declined") {
    CHECK(receive(ok_hello, {asking().set("Upgrade", "x")}) == received{"200 hello[]"});
  }
}

TEST_CASE("client_connection switches for the last request only", "[protocol][rfc9110-7.8]") {
  client_peer client(ok_hello + "HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nyz");
  CHECK_FALSE(client.send(asking()));
  CHECK_FALSE(client.send(asking().set("Upgrade", "x")));
  CHECK_FALSE(client.connection.ready());
  CHECK(client.send(asking()) == write_error::switch_pending);
  CHECK(client.kind() == event_kind::head);
  CHECK(client.kind() == event_kind::content);
  CHECK(client.kind() == event_kind::end);
  CHECK(client.send(asking()) == write_error::switch_pending);
  CHECK(client.kind() == event_kind::head);
  CHECK(client.head.upgrade() == "x");
  CHECK(client.connection.switched());
  CHECK_FALSE(client.connection.must_close());
  CHECK(client.rest() == "yz");
  CHECK(client.kind() == event_kind::need_more);
  CHECK(client.send(asking()) == write_error::connection_closed);
  client.connection.refuse(error::head_timeout);  // no longer HTTP's to refuse
  CHECK(client.connection.error() == error::none);
}

TEST_CASE("client_connection may send again when an upgrade was declined",
          "[protocol][rfc9110-7.8]") {
  client_peer client(ok_hello + ok_hello);
  CHECK_FALSE(client.send(asking().set("Upgrade", "x")));
  client.next();
  client.next();
  CHECK(client.kind() == event_kind::end);
  CHECK(client.connection.ready());
  CHECK_FALSE(client.send(asking()));
  CHECK(client.kind() == event_kind::head);
}

TEST_CASE("client_connection refuses a switch before the request is complete",
          "[protocol][rfc9110-7.8]") {
  client_peer client("HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n");
  CHECK_FALSE(client.connection.begin_stream(asking("POST").set("Upgrade", "x"), std::nullopt,
                                             client.output));
  CHECK(client.next().why == error::unexpected_switch);
}
