#include "protocol/websocket.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/protocol/support.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

enum opcode : unsigned { continuation, text, binary, closing = 8, ping, pong };
constexpr unsigned fin = 0x80;
constexpr unsigned rsv1 = 0x40;

std::string number(std::uint64_t value, unsigned octets) {
  std::string result;
  while (octets > 0) result += static_cast<char>(value >> (8 * --octets));
  return result;
}

std::string length_of(std::size_t size, unsigned mask_bit) {
  if (size < 126) return number(mask_bit | size, 1);
  if (size < 65536) return number(mask_bit | 126, 1) + number(size, 2);
  return number(mask_bit | 127, 1) + number(size, 8);
}

// As a client sends it.
std::string frame(unsigned first, std::string_view payload) {
  const std::string mask = "\x12\xa4\xff\x01";
  std::string result = number(first, 1) + length_of(payload.size(), 0x80) + mask;
  for (std::size_t i = 0; i < payload.size(); ++i)
    result += static_cast<char>(payload[i] ^ mask[i % 4]);
  return result;
}

// As the server sends it.
std::string plain(unsigned first, std::string_view payload) {
  return number(first, 1) + length_of(payload.size(), 0) + std::string(payload);
}

std::string close_frame(unsigned code, std::string_view reason = {}) {
  return frame(fin | closing, number(code, 2) + std::string(reason));
}

// What came of some input.
struct talk {
  std::string events;  // "text(hello) closed(1000 bye) "
  std::string output;
  bool must_close = false;

  bool operator==(const talk&) const = default;
};

std::ostream& operator<<(std::ostream& out, const talk& d) {
  return out << d.events.substr(0, 200) << " | " << d.output.size() << " octets, "
             << (d.must_close ? "over" : "open");
}

void describe(const websocket_event& found, std::string& events) {
  switch (found.kind) {
    case websocket_event_kind::text:
      events += "text(" + std::string(found.content) + ") ";
      break;
    case websocket_event_kind::binary:
      events += "binary(" + std::string(found.content) + ") ";
      break;
    case websocket_event_kind::pong:
      events += "pong(" + std::string(found.content) + ") ";
      break;
    case websocket_event_kind::closed:
      events += "closed(" + std::to_string(found.code) + " " + std::string(found.content) + ") ";
      break;
    case websocket_event_kind::refused:
      events += "refused(" + std::to_string(found.code) + ") ";
      break;
    case websocket_event_kind::need_more:
      break;
  }
}

void feed(websocket_connection& connection, std::string_view input, talk& result) {
  for (;;) {
    const auto found = connection.next(input, result.output);
    describe(found, result.events);
    input.remove_prefix(found.consumed);
    if (found.kind == websocket_event_kind::need_more) break;
  }
  CHECK(input.empty());
  result.must_close = connection.must_close();
}

talk hear(std::string_view input, const websocket_limits& bounds = {}) {
  return same_for_every_split(input.size(), [&](const pieces& sizes) {
    websocket_connection connection(bounds);
    talk result;
    std::size_t at = 0;
    for (const auto size : sizes) {
      feed(connection, input.substr(at, size), result);
      at += size;
    }
    return result;
  });
}

// The code with which the input is refused, which is also what is sent.
unsigned refusal(std::string_view input, const websocket_limits& bounds = {}) {
  const auto result = hear(input, bounds);
  for (const unsigned code : {1002u, 1007u, 1009u}) {
    if (!result.events.ends_with("refused(" + std::to_string(code) + ") ")) continue;
    CHECK(result.must_close);
    CHECK(result.output.ends_with(plain(fin | closing, number(code, 2))));
    return code;
  }
  return 0;
}

}  // namespace

TEST_CASE("websocket_connection reads the frames of the RFC's examples",
          "[protocol][rfc6455-5.7]") {
  CHECK(hear("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58").events == "text(Hello) ");
  const auto pinged = hear("\x89\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58");
  CHECK(pinged == talk{"", "\x8a\x05Hello", false});
}

TEST_CASE("websocket_connection puts fragments together with control frames between them",
          "[protocol][rfc6455-5.4][B131]") {
  CHECK(hear(frame(text, "He") + frame(fin | ping, "1") + frame(continuation, "") +
             frame(fin | pong, "?") + frame(fin, "llo") + frame(fin | binary, "")) ==
        talk{"pong(?) text(Hello) binary() ", plain(fin | pong, "1"), false});
}

TEST_CASE("websocket_connection reads and writes lengths at their boundaries",
          "[protocol][rfc6455-5.2][B131]") {
  for (const std::size_t size : {0u, 125u, 126u, 127u, 65535u, 65536u, 65537u}) {
    INFO(size);
    const std::string content(size, 'x');
    websocket_connection connection({});
    talk result;
    feed(connection, frame(fin | binary, content), result);
    CHECK(result.events == "binary(" + content + ") ");
    std::string out;
    CHECK(connection.send_binary(content, out));
    CHECK(out == plain(fin | binary, content));
    talk in_octets;
    for (const char octet : frame(fin | text, content))
      feed(connection, std::string_view(&octet, 1), in_octets);
    CHECK(in_octets.events == "text(" + content + ") ");
  }
}

TEST_CASE("websocket_connection refuses lengths that are not in their shortest form",
          "[protocol][rfc6455-5.2]") {
  CHECK(refusal("\x82\xfe" + number(125, 2) + "mask") == 1002);
  CHECK(refusal("\x82\xff" + number(65535, 8) + "mask") == 1002);
  CHECK(refusal("\x82\xff" + number(std::uint64_t{1} << 63, 8) + "mask") == 1002);
}

TEST_CASE("websocket_connection refuses frames beyond its limits before their content",
          "[protocol][rfc6455-10.4]") {
  const websocket_limits bounds{.frame_bytes_max = 200, .message_bytes_max = 300};
  CHECK(hear(frame(fin | binary, std::string(200, 'x')), bounds).must_close == false);
  CHECK(refusal("\x82\xfe" + number(201, 2), bounds) == 1009);
  CHECK(refusal("\x82\xff" + number(~std::uint64_t{0} >> 1, 8), bounds) == 1009);
  const auto two_thirds = frame(text, std::string(200, 'x'));
  CHECK(refusal(two_thirds + frame(fin, std::string(100, 'x')), bounds) == 0);
  CHECK(refusal(two_thirds + number(fin, 1) + length_of(101, 0x80), bounds) == 1009);
  CHECK(refusal(two_thirds + frame(fin | ping, std::string(125, 'x')), bounds) == 0);
}

TEST_CASE("websocket_connection refuses what no extension allows",
          "[protocol][rfc6455-5.2][B130][B133]") {
  for (const unsigned bit : {0x40u, 0x20u, 0x10u}) {
    CHECK(refusal(frame(fin | bit | text, "x")) == 1002);
    CHECK(refusal(frame(fin | bit | ping, "x")) == 1002);
  }
  for (const unsigned reserved : {3u, 4u, 5u, 6u, 7u, 11u, 12u, 13u, 14u, 15u})
    CHECK(refusal(frame(fin | reserved, "x")) == 1002);
}

TEST_CASE("websocket_connection refuses control frames that are long or fragmented",
          "[protocol][rfc6455-5.5][B133]") {
  for (const unsigned control : {closing, ping, pong}) {
    CHECK(refusal(frame(control, "")) == 1002);
    CHECK(refusal(number(fin | control, 1) + length_of(126, 0x80)) == 1002);
  }
  CHECK(hear(frame(fin | ping, std::string(125, 'p'))).output ==
        plain(fin | pong, std::string(125, 'p')));
}

TEST_CASE("websocket_connection refuses frames without a mask", "[protocol][rfc6455-5.1]") {
  CHECK(refusal(plain(fin | text, "x")) == 1002);
  CHECK(refusal(plain(fin | closing, "")) == 1002);
}

TEST_CASE("websocket_connection refuses fragments out of order", "[protocol][rfc6455-5.4]") {
  CHECK(refusal(frame(fin, "x")) == 1002);
  CHECK(refusal(frame(text, "x") + frame(fin | text, "x")) == 1002);
  CHECK(refusal(frame(fin | text, "x") + frame(continuation, "x")) == 1002);
}

TEST_CASE("websocket_connection refuses text that is not UTF-8 and takes it in binary",
          "[protocol][rfc6455-8.1]") {
  CHECK(refusal(frame(fin | text, "a\xff")) == 1007);
  CHECK(refusal(frame(fin | text, "cut \xe2\x82")) == 1007);
  CHECK(refusal(frame(text, "surrogate \xed") + frame(continuation, "\xa0")) == 1007);
  CHECK(hear(frame(text, "\xe2") + frame(fin | ping, "\xff") + frame(fin, "\x82\xac")).events ==
        "text(\xe2\x82\xac) ");
  CHECK(hear(frame(fin | binary, "\xff")).events == "binary(\xff) ");
}

TEST_CASE("websocket_connection answers Close with its code and reads nothing behind it",
          "[protocol][rfc6455-5.5.1]") {
  CHECK(hear(close_frame(1000, "bye") + frame(fin | text, "late")) ==
        talk{"closed(1000 bye) ", plain(fin | closing, number(1000, 2)), true});
  CHECK(hear(frame(fin | closing, "")) == talk{"closed(1005 ) ", plain(fin | closing, ""), true});
  CHECK(hear(frame(text, "half") + close_frame(4999)).events == "closed(4999 ) ");
}

TEST_CASE("websocket_connection refuses Close with a bad code or reason",
          "[protocol][rfc6455-7.4]") {
  for (const unsigned code : {0u, 999u, 1004u, 1005u, 1006u, 1015u, 1016u, 2999u, 5000u, 65535u}) {
    INFO(code);
    CHECK(refusal(close_frame(code)) == 1002);
  }
  for (const unsigned code : {1000u, 1003u, 1007u, 1011u, 1014u, 3000u, 4999u})
    CHECK(refusal(close_frame(code)) == 0);
  CHECK(refusal(frame(fin | closing, "x")) == 1002);
  CHECK(refusal(close_frame(1000, "\xff")) == 1007);
  CHECK(refusal(close_frame(1000, "cut\xc3")) == 1007);
}

TEST_CASE("websocket_connection closes first and then waits for nothing but the answer",
          "[protocol][rfc6455-7.1.2]") {
  websocket_connection connection({});
  talk result;
  feed(connection, frame(text, "be"), result);
  CHECK(connection.close(1001, "over", result.output));
  CHECK(result.output == plain(fin | closing, number(1001, 2) + "over"));
  CHECK(connection.is_closing());
  CHECK_FALSE(connection.must_close());
  CHECK_FALSE(connection.close(1000, {}, result.output));
  CHECK_FALSE(connection.send_text("late", result.output));
  CHECK_FALSE(connection.send_binary("late", result.output));
  CHECK_FALSE(connection.send_ping("late", result.output));
  const auto sent = result.output;
  feed(connection, frame(fin, "fore") + frame(fin | text, "x") + frame(fin | ping, "x"), result);
  feed(connection, close_frame(1001), result);
  CHECK(result == talk{"closed(1001 ) ", sent, true});
}

TEST_CASE("websocket_connection sends nothing after a peer that breaks rules was sent Close",
          "[protocol][rfc6455-7.1.7]") {
  websocket_connection connection({});
  talk result;
  CHECK(connection.close(1000, {}, result.output));
  const auto sent = result.output;
  feed(connection, frame(fin | rsv1 | text, "x"), result);
  CHECK(result == talk{"refused(1002) ", sent, true});
}

TEST_CASE("websocket_connection sends no code that may not be sent and cuts long reasons",
          "[protocol][rfc6455-7.4.1]") {
  websocket_connection connection({});
  std::string out;
  for (const unsigned code : {0u, 1004u, 1005u, 1006u, 1015u, 2000u})
    CHECK_FALSE(connection.close(static_cast<std::uint16_t>(code), {}, out));
  CHECK_FALSE(connection.send_ping(std::string(126, 'p'), out));
  CHECK(out.empty());
  CHECK(connection.send_ping(std::string(125, 'p'), out));
  out.clear();
  CHECK(connection.close(1000, std::string(122, 'r') + "\xc3\xa4", out));
  CHECK(out == plain(fin | closing, number(1000, 2) + std::string(122, 'r')));
}
