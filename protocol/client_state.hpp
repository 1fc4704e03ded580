// Where a client's connection stands, and every way in which it may go on: the only place that
// knows.
//
// RFC 9112 section 9. The sending half is the one request that is being written, the receiving half
// the one response that is read or comes next; pipelined requests lie between them. Both halves
// advance by the same events; an event that either half forbids changes nothing. Code elsewhere
// applies events and asks; it never assigns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bulkhead::protocol {

enum class sending_state : std::uint8_t {
  ready,    // a request may be begun
  held,     // a head is out; its content waits for 100 (Continue)
  content,  // a head is out; its content follows
  barred,   // the request written last asks to switch protocols: nothing may follow it yet
  closed,   // no further request may be written, nor what is left of this one
};

enum class receiving_state : std::uint8_t {
  none,      // no response is awaited
  awaited,   // nothing of it has been read, besides interim responses
  head,      // octets of a head have been read
  content,   // the final head is there; content may follow
  refused,   // it broke a rule or a limit: nothing more is interpreted
  closed,    // no further response will be read
  switched,  // the connection speaks another protocol
};

enum class client_event : std::uint8_t {
  request_begun,      // the head of a request was written
  request_held,       // the same, and its content is to wait
  content_released,   // 100 came, or the caller waits no longer
  request_ended,      // its last octet was written
  switch_requested,   // the same, of a request with Upgrade or CONNECT
  request_abandoned,  // the rest of it will not be written
  last_request,       // it said Connection: close
  head_begun,         // the first octet of a head
  interim_read,       // a whole interim head was delivered
  head_read,          // a whole final head was delivered
  response_ended,     // its last octet was read
  response_awaited,   // another request was sent before: its response comes next
  all_answered,       // none was
  switch_protocol,    // the server agreed to switch
  close,              // the connection ends behind this response
  refuse,             // a rule or a limit was broken
};

inline constexpr std::size_t sending_state_count = 5;
inline constexpr std::size_t receiving_state_count = 7;
inline constexpr std::size_t client_event_count = 16;

struct client_state {
  sending_state sending = sending_state::ready;
  receiving_state receiving = receiving_state::none;

  bool operator==(const client_state&) const = default;

  bool may(client_event event) const;

  // Advances both halves. False when the event is forbidden here; then nothing has changed.
  bool apply(client_event event);
};

}  // namespace bulkhead::protocol
