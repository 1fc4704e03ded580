#include "tls/engine.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "tests/tls/connection.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::tls;
using status = engine::status;

std::shared_ptr<configurations> one_host() {
  static const workshop files;
  static const auto shown = files.host({"localhost"});
  return configurations_of({shown});
}

std::string much_text(std::size_t bytes) {
  std::string text(bytes, ' ');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i * 7 % 26);
  return text;
}

struct open_connection : connection {
  explicit open_connection(int version = 0) : connection(one_host(), {.version = version}) {
    exchange();
    REQUIRE(is_open());
  }
};

TEST_CASE("a session opens and carries text in both directions however its bytes arrive",
          "[tls][rfc8446-5.1]") {
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  const auto step = GENERATE(std::size_t{1}, 2U, 5U, 7U, 100U, connection::all);
  connection both(one_host(), {.server_name = "localhost", .version = version});
  both.exchange(step);
  REQUIRE(both.is_open());
  both.peer.write("GET / HTTP/1.1\r\n\r\n", both.to_server);
  both.exchange(step);
  CHECK(both.at_server == "GET / HTTP/1.1\r\n\r\n");
  CHECK(both.server->write("HTTP/1.1 200 OK\r\n\r\n", both.to_client).consumed == 19);
  both.exchange(step);
  CHECK(both.at_client == "HTTP/1.1 200 OK\r\n\r\n");
  CHECK(both.server->version() == (version == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3"));
  CHECK(both.server->cipher().substr(0, 4) == "TLS_");
  CHECK(both.server->server_name() == "localhost");
  CHECK_FALSE(both.server->is_resumed());
  CHECK_FALSE(both.server->client().has_value());
}

TEST_CASE("a handshake survives a cut at every position of both flights", "[tls][rfc8446-5.1]") {
  const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
  std::size_t longest = 1;
  for (std::size_t cut = 0; cut < longest; ++cut) {
    connection both(one_host(), {.version = version});
    for (int flight = 0; flight < 3; ++flight) {
      both.answer();
      longest = std::max(longest, both.to_server.size());
      both.serve(std::min(cut, both.to_server.size()));
      both.serve();
    }
    both.exchange();
    REQUIRE(both.is_open());
  }
  CHECK(longest > 100);
}

TEST_CASE("text that is cut at every record arrives whole", "[tls][rfc8446-5.1]") {
  open_connection both(GENERATE(TLS1_2_VERSION, TLS1_3_VERSION));
  std::string expected;
  for (int record = 0; record < 20; ++record) {
    const auto text = much_text(1 + static_cast<std::size_t>(record) * 700);
    both.peer.write(text, both.to_server);
    expected += text;
  }
  while (!both.to_server.empty()) {
    const auto* head = reinterpret_cast<const unsigned char*>(both.to_server.data());
    both.serve(5 + static_cast<std::size_t>(head[3] << 8 | head[4]));
  }
  CHECK(both.at_server == expected);
}

TEST_CASE("decrypted bytes that find no room are given out without further input", "[tls]") {
  open_connection both;
  both.peer.write("0123456789", both.to_server);
  std::string room(4, ' ');
  auto got = both.server->read(both.to_server, room, both.to_client);
  CHECK(got.what == status::done);
  CHECK(got.consumed == both.to_server.size());
  CHECK(room == "0123");
  got = both.server->read({}, room, both.to_client);
  CHECK(got.what == status::done);
  CHECK(room == "4567");
  got = both.server->read({}, room, both.to_client);
  CHECK(got.what == status::need_input);
  CHECK(got.produced == 2);
  CHECK(room.substr(0, 2) == "89");
}

TEST_CASE("content goes out in parts from wherever it lies", "[tls][B053]") {
  open_connection both(GENERATE(TLS1_2_VERSION, TLS1_3_VERSION));
  const auto content = much_text(1'000'000);
  std::size_t written = 0;
  while (written < content.size()) {
    const std::string moved = content.substr(written);
    const auto put = both.server->write(moved, both.to_client, 20'000);
    REQUIRE(put.what == status::done);
    REQUIRE(put.consumed > 0);
    REQUIRE(both.to_client.size() < 20'000 + 17'000);
    written += put.consumed;
    both.exchange();
  }
  CHECK(both.at_client == content);
}

TEST_CASE("writing into a full output takes nothing", "[tls]") {
  open_connection both;
  std::string full(100, 'x');
  const auto put = both.server->write("text", full, 100);
  CHECK(put.what == status::done);
  CHECK(put.consumed == 0);
  CHECK(full == std::string(100, 'x'));
}

TEST_CASE("a key update in the middle of a download is answered and harms nothing",
          "[tls][rfc8446-4.6.3][B052]") {
  open_connection both(TLS1_3_VERSION);
  const auto content = much_text(300'000);
  std::size_t written = 0;
  while (written < content.size()) {
    written +=
        both.server->write(std::string_view(content).substr(written), both.to_client, 1).consumed;
    both.peer.key_update(both.to_server);
    both.peer.write("more", both.to_server);
    both.exchange(3);
    REQUIRE(both.server->is_open());
  }
  CHECK(both.at_client == content);
  CHECK(both.at_server.size() % 4 == 0);
}

TEST_CASE("a renegotiation is refused and what was being sent arrives",
          "[tls][rfc5246-7.2.2][B052]") {
  open_connection both(TLS1_2_VERSION);
  both.peer.renegotiate(both.to_server);
  both.serve();
  CHECK(both.last == status::need_input);
  CHECK(both.server->is_open());
  CHECK_FALSE(both.to_client.empty());
  CHECK(both.server->write("still here", both.to_client).consumed == 10);
}

TEST_CASE("endless records without data end a session", "[tls]") {
  open_connection both(TLS1_3_VERSION);
  for (int i = 0; i < 64; ++i) both.peer.key_update(both.to_server);
  both.serve();
  CHECK(both.last == status::need_input);
  both.peer.key_update(both.to_server);
  both.serve();
  CHECK(both.last == status::failed);
  CHECK(both.server->why().what == failure::control_flood);
}

TEST_CASE("close_notify is told and answered in both directions", "[tls][rfc8446-6.1]") {
  open_connection both(GENERATE(TLS1_2_VERSION, TLS1_3_VERSION));
  SECTION("the server first: the client's bytes are still read") {
    both.server->close(both.to_client);
    both.server->close(both.to_client);
    CHECK(both.server->write("late", both.to_client).what == status::failed);
    both.answer();
    CHECK(both.peer.is_closed());
    both.peer.write("last words", both.to_server);
    both.peer.close(both.to_server);
    both.serve();
    CHECK(both.at_server == "last words");
    CHECK(both.last == status::closed);
    CHECK(both.server->peer_has_closed());
  }
  SECTION("the client first: the answer is still written") {
    both.peer.write("question", both.to_server);
    both.peer.close(both.to_server);
    both.serve();
    CHECK(both.at_server == "question");
    CHECK(both.last == status::closed);
    CHECK(both.server->write("answer", both.to_client).consumed == 6);
    both.server->close(both.to_client);
    std::string ignored;
    CHECK(both.peer.read(both.to_client, ignored) == "answer");
  }
  SECTION("an end without it can be told apart") {
    both.peer.write("question", both.to_server);
    both.serve();
    CHECK(both.last == status::need_input);
    CHECK_FALSE(both.server->peer_has_closed());
  }
  SECTION("bytes behind it are dropped") {
    both.peer.close(both.to_server);
    both.serve();
    std::string room(10, ' ');
    const auto got = both.server->read("anything", room, both.to_client);
    CHECK(got.what == status::closed);
    CHECK(got.consumed == 8);
  }
}

TEST_CASE("plain HTTP on the TLS port is recognised by its first byte and kept", "[tls]") {
  const std::string request = GENERATE("GET / HTTP/1.1\r\n\r\n", "OPTIONS * HTTP/1.1\r\n\r\n");
  for (std::size_t size = 1; size <= request.size(); ++size) {
    engine server(one_host());
    std::string out;
    const auto got = server.handshake(std::string_view(request).substr(0, size), out);
    REQUIRE(got.what == status::plain_http);
    REQUIRE(got.consumed == 0);
    REQUIRE(out.empty());
  }
}

TEST_CASE("what is neither TLS nor HTTP fails at once", "[tls]") {
  using namespace std::string_literals;
  const auto bytes = GENERATE("\x80\x2e\x01\x03\x01"s, "\0\0\0\0"s, "\x16\x02\x01"s,
                              "\x16\x03\x01\x00\x00"s, "\x16\x03\x01\x40\x01"s, "\x15\x03\x01"s);
  engine server(one_host());
  std::string out;
  CHECK(server.handshake(bytes, out).what == status::failed);
  CHECK(server.why().what == failure::not_tls);
  CHECK(server.handshake(bytes, out).what == status::failed);
  CHECK(server.session() == nullptr);
}

TEST_CASE("nothing is built for a session before its first record is whole", "[tls][B082]") {
  connection both(one_host());
  both.answer();
  for (std::size_t size = 0; size < both.to_server.size(); ++size) {
    both.serve(size);
    REQUIRE(both.last == status::need_input);
    REQUIRE(both.server->session() == nullptr);
    REQUIRE(both.server->held_bytes() == 0);
  }
  both.serve();
  CHECK(both.server->session() != nullptr);
}

TEST_CASE("a record that was tampered with ends the session with an alert", "[tls][rfc8446-5.2]") {
  open_connection both(GENERATE(TLS1_2_VERSION, TLS1_3_VERSION));
  both.peer.write("text", both.to_server);
  both.to_server.back() ^= 1;
  both.exchange();
  CHECK(both.last == status::failed);
  CHECK(both.server->why().what == failure::protocol);
  CHECK_FALSE(both.server->why().detail.empty());
  CHECK(both.peer.fatal_alert() == SSL_AD_BAD_RECORD_MAC);
  CHECK(both.server->session() == nullptr);
  CHECK(both.server->held_bytes() == 0);
  std::string room(10, ' ');
  CHECK(both.server->read({}, room, both.to_client).what == status::failed);
  CHECK(both.server->write("text", both.to_client).what == status::failed);
}

TEST_CASE("old versions and unsafe ciphers are refused", "[tls]") {
  SECTION("TLS 1.1") {
    connection both(one_host(), {.version = TLS1_1_VERSION});
    both.exchange();
    CHECK(both.server->why().what == failure::unsupported_version);
    CHECK(both.peer.fatal_alert() == SSL_AD_PROTOCOL_VERSION);
  }
  SECTION("no forward secrecy, or CBC") {
    const std::string cipher = GENERATE("AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA");
    connection both(one_host(), {.version = TLS1_2_VERSION, .ciphers = cipher});
    both.exchange();
    CHECK(both.server->why().what == failure::no_shared_cipher);
    CHECK(both.peer.fatal_alert() == SSL_AD_HANDSHAKE_FAILURE);
  }
}

TEST_CASE("a fatal alert of the peer is told as such", "[tls][rfc8446-6.2]") {
  connection both(one_host());
  both.answer();
  both.serve();
  both.to_server.append("\x15\x03\x03\x00\x02\x02\x30", 7);  // unknown_ca
  both.serve();
  CHECK(both.server->why().what == failure::peer_alert);
}

TEST_CASE("the application protocol is negotiated", "[tls][rfc7301-3.2]") {
  using namespace std::string_literals;
  SECTION("http/1.1 is chosen among several") {
    connection both(one_host(), {.protocols = "\x02h2\x08http/1.1"s});
    both.exchange();
    CHECK(both.is_open());
    CHECK(both.server->protocol() == "http/1.1");
  }
  SECTION("only unknown ones end in a fatal alert") {
    connection both(one_host(), {.version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION),
                                 .protocols = "\x02h2\x03"
                                              "foo"s});
    both.exchange();
    CHECK(both.server->why().what == failure::application_protocol);
    CHECK(both.peer.fatal_alert() == SSL_AD_NO_APPLICATION_PROTOCOL);
  }
  SECTION("a client that does not ask gets none") {
    connection both(one_host());
    both.exchange();
    CHECK(both.is_open());
    CHECK(both.server->protocol().empty());
  }
}

TEST_CASE("a session may be handed from thread to thread between calls", "[tls]") {
  connection both(one_host());
  for (int i = 0; i < 8; ++i) std::thread([&] { both.exchange(100); }).join();
  REQUIRE(both.is_open());
  both.peer.write("text", both.to_server);
  both.to_server += "garbage that is no record";
  std::thread([&] {
    both.serve();
    CHECK(ERR_peek_error() == 0);
  }).join();
  CHECK(both.at_server == "text");
  CHECK(both.server->why().what != failure::none);
}

}  // namespace
