// Where a server's connection stands, and every way in which it may go on: the only place that
// knows. The client's is in client_state.hpp.
//
// RFC 9112 section 9. A connection is a sequence of exchanges, each a request half that the peer
// drives and a response half that the server drives. Both advance by the same events; an event that
// either half forbids changes nothing. Code elsewhere applies events and asks; it never assigns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bulkhead::protocol {

enum class request_state : std::uint8_t {
  idle,     // between requests, nothing read
  head,     // octets of a head have been read
  content,  // the head is there; content may follow
  done,     // the request is complete
  refused,  // it broke a rule or a limit: nothing more is interpreted
  closed,   // no further request will be read
};

enum class response_state : std::uint8_t {
  none,       // no response is owed
  owed,       // a head has been delivered and awaits its response
  streaming,  // the response's head is out, its end is not
  done,       // the response is complete
  refusing,   // the response owed is a refusal
  closed,     // nothing may be written any more
  switched,   // 101 is out: the connection speaks another protocol
};

enum class transition : std::uint8_t {
  head_begun,       // the first octet of a head
  head_read,        // a whole head was delivered
  request_ended,    // its last octet was read
  response_begun,   // the head of a streamed response was written
  response_ended,   // the response's last octet was written
  next_exchange,    // both halves are done and the connection stays
  close,            // the connection ends behind this exchange
  switch_protocol,  // 101 (Switching Protocols) was written
  refuse,           // a rule or a limit was broken
  refusal_written,  // the answer that says so was written
};

inline constexpr std::size_t request_state_count = 6;
inline constexpr std::size_t response_state_count = 7;
inline constexpr std::size_t transition_count = 10;

struct exchange_state {
  request_state request = request_state::idle;
  response_state response = response_state::none;

  bool operator==(const exchange_state&) const = default;

  bool may(transition event) const;

  // Advances both halves. False when the event is forbidden here; then nothing has changed.
  bool apply(transition event);
};

}  // namespace bulkhead::protocol
