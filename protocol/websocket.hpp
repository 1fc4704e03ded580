// The server's side of one WebSocket connection: octets in, messages out; messages in, octets out.
//
// RFC 6455, without extensions. No I/O, no clock, no random numbers (only clients mask). Fragments
// are put together, pings are answered, the closing handshake is kept; what breaks the protocol or
// a limit is refused with the code that RFC 6455 section 7.4.1 has for it, and nothing after it is
// interpreted.
//
// One thread at a time may call; a connection knows nothing of others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/utf8.hpp"

namespace bulkhead::protocol {

// Why a connection closes, RFC 6455 section 7.4.1; 3000 to 4999 are the applications' own.
namespace websocket_code {
inline constexpr std::uint16_t normal = 1000;
inline constexpr std::uint16_t going_away = 1001;  // a server that shuts down
inline constexpr std::uint16_t protocol_error = 1002;
inline constexpr std::uint16_t unsupported_data = 1003;  // text to whom takes binary, or so
inline constexpr std::uint16_t none = 1005;              // the peer gave none; never sent
inline constexpr std::uint16_t invalid_payload = 1007;   // text that is no UTF-8
inline constexpr std::uint16_t policy_violation = 1008;
inline constexpr std::uint16_t message_too_big = 1009;
inline constexpr std::uint16_t internal_error = 1011;

// Whether a Close frame may carry it.
bool may_be_sent(std::uint16_t code);
}  // namespace websocket_code

// N passes, N + 1 is refused with 1009 before its first octet.
struct websocket_limits {
  // Payload of one frame, octets. What is announced allocates nothing: memory grows with what came.
  std::uint64_t frame_bytes_max = 1024 * 1024;
  // All fragments of one message, octets.
  std::uint64_t message_bytes_max = 1024 * 1024;
};

enum class websocket_event_kind : std::uint8_t {
  need_more,  // everything was consumed, or nothing will be any more
  text,       // a message in UTF-8
  binary,     // a message
  pong,       // with the payload of a ping, or unasked for
  closed,     // the peer's Close came; it is answered
  refused,    // the peer broke a rule or a limit; Close with `code` was written
};

struct websocket_event {
  websocket_event_kind kind = websocket_event_kind::need_more;
  std::size_t consumed = 0;    // of the input; the caller drops them
  std::string_view content{};  // the payload, or the reason of `closed`; lives until the next call
  std::uint16_t code = 0;      // of closed and refused
};

class websocket_connection {
 public:
  // Copies the limits.
  explicit websocket_connection(const websocket_limits& bounds) : bounds_(bounds) {}

  // The next event in `input`, all octets that were received and not yet consumed. Appends to `out`
  // what the protocol answers by itself. To be called again until it needs more.
  websocket_event next(std::string_view input, std::string& out);

  // Append a whole message or a ping in one frame. False and nothing appended: Close was sent; a
  // ping of more than 125 octets. Text has to be UTF-8, which is not looked at.
  bool send_text(std::string_view message, std::string& out);
  bool send_binary(std::string_view message, std::string& out);
  bool send_ping(std::string_view payload, std::string& out);

  // Begins the closing handshake; the peer's answer is an event `closed`, and messages that come
  // before are dropped. A reason that is too long is cut behind a character, at 123 octets. False
  // and nothing appended: Close was sent before, or the code may not be sent.
  bool close(std::uint16_t code, std::string_view reason, std::string& out);

  // Close was sent.
  bool is_closing() const { return close_sent_; }
  // Both sides have closed, or the peer was refused: nothing more is read or written. The server
  // closes the connection first (RFC 6455 section 7.1.1).
  bool must_close() const { return done_; }

 private:
  enum class step : std::uint8_t { first, second, length, mask, payload };

  // Each gives the code with which it refuses, or 0.
  std::uint16_t take_header(unsigned char octet);
  std::uint16_t take_first(unsigned char octet);
  std::uint16_t take_second(unsigned char octet);
  std::uint16_t take_length(unsigned char octet);
  std::uint16_t check_length();
  std::uint16_t take_payload(std::string_view& input);
  websocket_event end_frame(std::string& out);
  websocket_event end_control(std::string& out);
  websocket_event take_close(std::string_view payload, std::string& out);
  websocket_event refuse(std::uint16_t code, std::string& out);
  void drop_message();
  bool is_control() const { return opcode_ >= 8; }

  websocket_limits bounds_;
  std::string message_;  // its fragments so far, unmasked
  std::array<char, 125> control_{};
  utf8_checker utf8_;
  std::uint64_t length_ = 0;  // of the frame's payload
  std::uint64_t taken_ = 0;   // of it
  std::array<unsigned char, 4> mask_{};
  step step_ = step::first;
  std::uint8_t length_octets_ = 0;   // of an extended length: 2 or 8
  std::uint8_t count_ = 0;           // octets of the length or the mask that were taken
  std::uint8_t opcode_ = 0;          // of the frame
  std::uint8_t message_opcode_ = 0;  // of the message under way, 0: none
  bool final_ : 1 = false;           // the frame ends its message
  bool delivered_ : 1 = false;       // the message in message_ was an event
  bool close_sent_ : 1 = false;
  bool done_ : 1 = false;
};

}  // namespace bulkhead::protocol
