// Connections that go on in another protocol.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;

namespace {

const std::string wish = get("/shout", "Connection: upgrade\r\nUpgrade: shout\r\n");

// Says everything again in capitals, and ends at a full stop.
response shout(const request&) {
  response answer(101);
  answer.set("Upgrade", "shout").set("X-Own", "kept");
  answer.set_upgrade({.receive =
                          [](std::string_view received, std::string& out) {
                            for (const char c : received)
                              out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
                            if (received == "throw") throw std::runtime_error("asked to");
                            return received.find('.') == std::string_view::npos;
                          },
                      .drain = [](std::string& out) { out += "BYE"; }});
  return answer;
}

constexpr std::string_view head_end = "\r\n\r\n";

std::string read_until(client& from, std::string_view end) {
  std::string all;
  while (!all.ends_with(end)) {
    const auto more = from.rest(1);
    if (more.empty()) break;
    all += more;
  }
  return all;
}

}  // namespace

TEST_CASE("handler takes a connection over with the bytes behind the request",
          "[server][upgrade][B136]") {
  served s;
  s->get("/shout", shout);
  client c(s.start());
  c.send(wish + "early");
  const auto head = read_until(c, "EARLY");
  CHECK_THAT(head, Catch::StartsWith("HTTP/1.1 101 Switching Protocols\r\n"));
  CHECK_THAT(head, Catch::Contains("\r\nUpgrade: shout\r\n"));
  CHECK_THAT(head, Catch::Contains("\r\nX-Own: kept\r\n"));
  CHECK_THAT(head, Catch::Contains("\r\nConnection: upgrade\r\n", Catch::CaseSensitive::No));
  c.send("more");
  CHECK(read_until(c, "MORE") == "MORE");
  c.send("the end.");
  CHECK(c.rest() == "THE END.");
  CHECK_FALSE(c.was_reset());
  CHECK(s.count(reason::served) == 1);
}

TEST_CASE("upgrade that nobody takes is answered like any request", "[server][upgrade][B134]") {
  served s;
  client c(s.start());
  const auto asked = get("/hello", "Connection: upgrade\r\nUpgrade: websocket\r\n");
  CHECK(content_of(c.ask(asked)) == "hello");
  CHECK(content_of(c.ask(get("/hello"))) == "hello");
}

TEST_CASE("upgraded connection ends in order in a drain and by a reset after a throw",
          "[server][upgrade][drain][B134]") {
  served s;
  s->get("/shout", shout);
  const auto address = s.start();
  client broken(address);
  broken.send(wish);
  read_until(broken, head_end);
  broken.send("throw");
  broken.rest();
  CHECK(broken.was_reset());
  client left(address);
  left.send(wish);
  read_until(left, head_end);
  left.half_close();
  CHECK(left.rest().empty());
  CHECK_FALSE(left.was_reset());
  client open(address);
  open.send(wish);
  read_until(open, head_end);
  s->drain();
  CHECK(open.rest() == "BYE");
  CHECK_FALSE(open.was_reset());
}

TEST_CASE("101 without anybody to speak the protocol is a fault of the handler",
          "[server][upgrade]") {
  served s;
  s->get("/shout", [](const request&) { return response(101).set("Upgrade", "shout"); });
  client c(s.start());
  c.send(wish);
  c.rest();
  CHECK(c.was_reset());
}
