// WebSocket: an echo, and a counter that all connections share.
//
//   ./websocket 127.0.0.1:8080
//   python3 -m websockets ws://127.0.0.1:8080/counter      (Debian: python3-websockets)
//   > 5                                                    adds five, and is told the sum
#include <atomic>
#include <charconv>
#include <string>

#include "actors/server.hpp"
#include "actors/websocket.hpp"

namespace {

using bulkhead::request;
using bulkhead::response;
using bulkhead::websocket_peer;

response echo(const request& r) {
  return bulkhead::websocket(
      r,
      {.on_text = [](websocket_peer& peer, std::string_view message) { peer.send_text(message); },
       .on_binary = [](websocket_peer& peer,
                       std::string_view message) { peer.send_binary(message); }});
}

// Connections run at once, on several threads: what they share is atomic or takes a lock. What only
// one of them has is captured by its handlers.
response count(const request& r, std::atomic<long>& sum) {
  const auto add = [&sum, messages = 0](websocket_peer& peer, std::string_view message) mutable {
    long number = 0;
    const auto* end = message.data() + message.size();
    if (std::from_chars(message.data(), end, number).ptr != end || ++messages > 100) {
      peer.close(bulkhead::websocket_code::policy_violation, "a hundred numbers, no more");
      return;
    }
    peer.send_text(std::to_string(sum += number));
  };
  auto answer = bulkhead::websocket(r, {.on_text = add, .limits = {.message_bytes_max = 20}});
  // Fields of one's own go into the 101.
  answer.set("Set-Cookie", "counted=yes");
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  std::atomic<long> sum{0};
  bulkhead::server server({.listen = {argc > 1 ? argv[1] : "127.0.0.1:8080"}});
  server.get("/echo", echo);
  server.get("/counter", [&sum](const request& r) { return count(r, sum); });
  server.run();
}
