// WebSocket (RFC 6455) for handlers; a public header like server.hpp.
//
//   server.get("/echo", [](const bulkhead::request& r) {
//     return bulkhead::websocket(
//         r, {.on_text = [](auto& peer, std::string_view message) { peer.send_text(message); }});
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "actors/handler.hpp"
#include "protocol/websocket.hpp"

namespace bulkhead {

namespace websocket_code = protocol::websocket_code;
using websocket_limits = protocol::websocket_limits;

// The other end, for the call that it is given to; not to be kept. False: the connection is
// closing, or the argument can't be sent (protocol/websocket.hpp), and nothing was.
class websocket_peer {
 public:
  websocket_peer(protocol::websocket_connection& connection, std::string& out)
      : connection_(connection), out_(out) {}

  bool send_text(std::string_view message) { return connection_.send_text(message, out_); }
  bool send_binary(std::string_view message) { return connection_.send_binary(message, out_); }
  bool send_ping(std::string_view payload = {}) { return connection_.send_ping(payload, out_); }
  // Messages that come before the peer's answer are dropped.
  bool close(std::uint16_t code = websocket_code::normal, std::string_view reason = {}) {
    return connection_.close(code, reason, out_);
  }

 private:
  protocol::websocket_connection& connection_;
  std::string& out_;
};

// Of one connection, called one at a time, on any thread; what they capture lives as long as the
// connection. They may block as handlers may. What they send goes out when the octets that were
// received are worked off, and no more is read before that: a peer that reads slowly slows itself
// down. A throw resets the connection. Nobody else can send: there is no call without a message.
struct websocket_handlers {
  // A whole message, a view for the call; text is UTF-8. Without one, such messages are refused
  // with 1003.
  std::function<void(websocket_peer& peer, std::string_view message)> on_text{};
  std::function<void(websocket_peer& peer, std::string_view message)> on_binary{};
  // The last call, unless the connection ends without it: the peer has closed with that code (1005:
  // with none), or broke a rule or limit (1002, 1007, 1009).
  std::function<void(std::uint16_t code, std::string_view reason)> on_close{};
  websocket_limits limits{};
};

// The answer to a request for a WebSocket (RFC 6455 section 4.2): 101, to which the handler may add
// fields of its own, such as Set-Cookie or the Sec-WebSocket-Protocol that it chose; 426 when the
// request is for something else or another version than 13; 400 for a malformed handshake. A server
// that drains closes with 1001. The deadline for idle connections holds, and pings count.
response websocket(const request& asked, websocket_handlers handlers);

}  // namespace bulkhead
