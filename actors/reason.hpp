// Why a request was answered, refused or cut, or a connection ended: one code for
// logs, metrics and tests alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/error.hpp"

namespace bulkhead {

enum class reason : std::uint8_t {
  served,  // the handler's response, or the router's 404, 405 and the like
  closed,  // an orderly end: the client's wish, or the last answer said so

  // The peer.
  peer_left,    // it ended the connection in the middle of something
  peer_reset,   // it reset the connection
  bad_head,     // request line or fields break a rule: 400, 417, 501, 505
  bad_framing,  // lengths, codings or chunks break a rule: 400, 501
  too_large,    // a limit: 413, 414, 431
  incomplete,   // the stream ended inside a request: 400
  plain_http,   // HTTP without TLS on a port for TLS: 400
  handshake_failed,
  tls_error,  // what it sent later does not decrypt, or floods

  // Deadlines.
  handshake_timeout,
  first_byte_timeout,
  head_timeout,
  content_timeout,
  content_too_slow,
  handler_timeout,
  write_stall,
  idle_timeout,

  // The handler.
  exception,      // it threw: 500
  bad_response,   // its response broke a rule: 500
  source_failed,  // its streamed content threw: reset
  file_failed,    // its file became shorter or could not be read: reset

  // The handler, in a sandbox.
  trap,                 // its WebAssembly trapped: 500
  crashed,              // its process died: 502
  budget_exceeded,      // of time, wall clock or CPU: 504
  out_of_memory,        // its memory, not the server's: 503
  handler_overloaded,   // no place in its queue, or its circuit is open: 503
  handler_unavailable,  // it can't be loaded, or was removed: 503

  // The server.
  overloaded,  // no session free: 503
  shed,        // over the memory budget
  out_of_descriptors,
  drain,     // it is shutting down
  internal,  // a fault of the server's own
};

inline constexpr std::size_t reason_count = static_cast<std::size_t>(reason::internal) + 1;

// A snake_case word, the enumerator's own name. Static storage.
std::string_view name_of(reason why);

// What a refusal of the protocol counts as.
reason reason_of(protocol::error why);

}  // namespace bulkhead
