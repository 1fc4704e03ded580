// WebSocket over the server; the frames themselves are tested in tests/protocol/websocket.cpp.
#include "actors/websocket.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/site.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;

namespace {

constexpr std::string_view key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
constexpr std::string_view version_13 = "Sec-WebSocket-Version: 13\r\n";
constexpr std::string_view upgrade = "Connection: Upgrade\r\nUpgrade: WebSocket\r\n";

std::string wish(std::string_view path) {
  return get(path, std::string(upgrade) + std::string(key) + std::string(version_13));
}

// A client's frame of less than 126 octets; the mask of zeros changes none.
std::string frame(unsigned first, std::string_view payload) {
  std::string result{static_cast<char>(first), static_cast<char>(0x80 | payload.size())};
  return result.append(4, '\0').append(payload);
}

std::string text(std::string_view payload) {
  return frame(0x81, payload);
}

std::string close_frame(std::uint16_t code) {
  return {'\x88', '\x02', static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
}

response echo(const request& r) {
  auto answer = websocket(r, {.on_text = [](websocket_peer& peer, std::string_view message) {
                            if (message == "close") peer.close(4000, "asked to");
                            if (message == "throw") throw std::runtime_error("asked to");
                            peer.send_text(message);
                          }});
  return answer.set("Sec-WebSocket-Protocol", "chat").add("Set-Cookie", "a=b");
}

// Reads until it ends so.
std::string read_until(client& c, std::string_view end) {
  std::string all;
  while (!all.ends_with(end)) {
    const auto more = c.rest(1);
    if (more.empty()) break;
    all += more;
  }
  return all;
}

void open(client& c, std::string_view path = "/echo") {
  c.send(wish(path));
  read_until(c, "\r\n\r\n");
}

}  // namespace

TEST_CASE("websocket accepts as in the example of the RFC and keeps the fields of the handler",
          "[server][websocket][rfc6455-1.3][B136]") {
  served s;
  s->get("/echo", echo);
  client c(s.start());
  c.send(wish("/echo") + text("early"));
  const auto head = read_until(c, "\r\n\r\n\x81\5early");
  CHECK_THAT(head, Catch::StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
  CHECK(field(head, "Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  CHECK(field(head, "Upgrade") == "websocket");
  CHECK(field(head, "Sec-WebSocket-Protocol") == "chat");
  CHECK(field(head, "Set-Cookie") == "a=b");
  CHECK(field(head, "Sec-WebSocket-Extensions").empty());
  c.send(text("one") + text("two") + frame(0x89, "ping"));
  CHECK(c.rest(16) == "\x81\x03one\x81\x03two\x8a\x04ping");
  c.send(frame(0x88, "\x03\xe8"));
  CHECK(c.rest() == close_frame(1000));
  CHECK_FALSE(c.was_reset());
}

TEST_CASE("websocket refuses what is no handshake and the connection goes on",
          "[server][websocket][rfc6455-4.2.1][B134]") {
  served s;
  s->get("/echo", echo);
  client c(s.start());
  const std::string all[] = {std::string(upgrade), std::string(key), std::string(version_13)};
  const auto plain = c.ask(get("/echo"));
  CHECK(status_of(plain) == 426);
  CHECK(field(plain, "Upgrade") == "websocket");
  const auto version_8 = c.ask(get("/echo", all[0] + all[1] + "Sec-WebSocket-Version: 8\r\n"));
  CHECK(status_of(version_8) == 426);
  CHECK(field(version_8, "Sec-WebSocket-Version") == "13");
  CHECK(status_of(c.ask(get("/echo", "Upgrade: websocket\r\n" + all[1] + all[2]))) == 426);
  CHECK(status_of(c.ask(
            get("/echo", "Connection: upgrade\r\nUpgrade: h2c\r\n" + all[1] + all[2]))) == 426);
  CHECK(status_of(c.ask(get("/echo", all[0] + all[1]))) == 400);
  CHECK(status_of(c.ask(get("/echo", all[0] + all[2]))) == 400);
  CHECK(status_of(c.ask(get("/echo", all[0] + all[1] + all[1] + all[2]))) == 400);
  for (const char* bad : {"short==", "dGhlIHNhbXBsZSBub25jZQ=a", "dGhlIHNhbXBsZSBub25j!Q=="})
    CHECK(status_of(c.ask(get("/echo", all[0] + all[2] + "Sec-WebSocket-Key: " + bad + "\r\n"))) ==
          400);
  CHECK(content_of(c.ask(get("/hello", all[0] + all[1] + all[2]))) == "hello");
}

TEST_CASE("websocket tells its handler how the peer has closed", "[server][websocket]") {
  served s;
  // Outlives the server, which ends before it is read.
  const auto seen = std::make_shared<std::string>();
  s->get("/told", [seen](const request& r) {
    return websocket(r, {.on_close = [seen](std::uint16_t code, std::string_view reason) {
                       *seen = std::to_string(code) + " " + std::string(reason);
                     }});
  });
  client c(s.start());
  open(c, "/told");
  c.send(frame(0x88, "\x0f\xa0later"));
  CHECK(c.rest() == close_frame(4000));
  s->stop();
  CHECK(*seen == "4000 later");
}

TEST_CASE("websocket closes with the code that fits", "[server][websocket][rfc6455-7.4.1]") {
  served s;
  s->get("/echo", echo);
  const auto address = s.start();
  const auto answer = [&](std::string_view sent) {
    client c(address);
    open(c);
    c.send(sent);
    return c.rest(4);
  };
  CHECK(answer(frame(0x82, "no handler takes binary")) == close_frame(1003));
  CHECK(answer(frame(0x83, "")) == close_frame(1002));
  CHECK(answer(text("\xff")) == close_frame(1007));
  CHECK(answer("\x81\xff" + std::string("\0\0\0\1\0\0\0\0", 8)) == close_frame(1009));
}

TEST_CASE("websocket that its handler closes ends when the peer answers or leaves",
          "[server][websocket][rfc6455-7.1.2]") {
  served s;
  s->get("/echo", echo);
  const auto address = s.start();
  client answers(address);
  open(answers);
  answers.send(text("close") + text("dropped"));
  CHECK(answers.rest(12) == "\x88\n\x0f\240asked to");
  answers.send(frame(0x88, "\x0f\xa0"));
  CHECK(answers.rest().empty());
  CHECK_FALSE(answers.was_reset());
  client leaves(address);
  open(leaves);
  leaves.send(text("close"));
  leaves.rest(12);
  leaves.half_close();
  CHECK(leaves.rest().empty());
}

TEST_CASE("websocket whose handler throws is reset and no other", "[server][websocket]") {
  served s;
  s->get("/echo", echo);
  const auto address = s.start();
  client neighbour(address);
  open(neighbour);
  client c(address);
  open(c);
  c.send(text("throw"));
  c.rest();
  CHECK(c.was_reset());
  neighbour.send(text("here"));
  CHECK(neighbour.rest(6) == "\x81\x04here");
}

TEST_CASE("websocket is told 1001 when the server drains", "[server][websocket][drain][B134]") {
  served s;
  s->get("/echo", echo);
  client c(s.start());
  open(c);
  s->drain();
  CHECK(c.rest() == close_frame(1001));
  CHECK_FALSE(c.was_reset());
}
