// WebSocket over TLS whose peers vanish.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "actors/client_wire.hpp"
#include "actors/websocket.hpp"
#include "tests/support/client.hpp"
#include "tests/support/served.hpp"
#include "tests/support/wait.hpp"
#include "tests/tls/certificates.hpp"
#include "tls/client_engine.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;

namespace {

config with_tls(const workshop& files) {
  const auto one = certify({.names = {"localhost"}});
  auto settings = on_loopback();
  settings.tls_listen = {"127.0.0.1:0"};
  settings.tls_hosts = {{.certificate_file = files.write("cert.pem", one.certificate_pem()),
                         .key_file = files.write("key.pem", one.key_pem())}};
  return settings;
}

// A text of one octet, with a mask of zeros.
constexpr std::string_view frame{"\x81\x81\0\0\0\0x", 7};

// Goes as far as `stage` and vanishes: what was sent back is unread, so that the end is a reset.
// Whether it got as far.
bool come_and_go(const actors::origin& where, SSL_CTX& context, int stage) {
  const auto until = std::chrono::steady_clock::now() + 30s;
  actors::client_wire wire(where, &context, until);
  if (stage == 0) return true;
  std::string in;
  std::string out = get("/echo",
                        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  const auto done = [&] { return stage == 1 ? out.empty() : in.ends_with("\x81\x01x"); };
  for (int i = 0; stage > 1 && i < 100; ++i) out += frame;
  if (stage == 3) out += frame.substr(0, 5);
  while (!done())
    if (!wire.move(out, in, until) || wire.ended() != actors::client_wire::end::none) return false;
  return true;
}

}  // namespace

TEST_CASE("server stands WebSocket peers that vanish under TLS at any stage",
          "[server][websocket][tls][B055]") {
  const workshop files;
  served s(with_tls(files));
  s->get("/echo", [](const request& r) {
    return websocket(r, {.on_text = [](websocket_peer& peer, std::string_view message) {
                       peer.send_text(message);
                     }});
  });
  s.start();
  const auto address = s->addresses()[1];
  const auto where = actors::parse_origin("https://localhost" + address.substr(address.rfind(':')));
  const auto context = tls::make_client_context({.ca_file = files.file("cert.pem")});
  std::atomic<int> reached = 0;
  std::vector<std::thread> peers;
  for (int thread = 0; thread < 4; ++thread)
    peers.emplace_back([&] {
      for (int i = 0; i < 40; ++i) reached += come_and_go(where, *context, i % 4);
    });
  for (auto& each : peers) each.join();
  CHECK(reached == 160);
  wait_until([&] { return s->stats().sessions == 0; });
  CHECK(come_and_go(where, *context, 2));
}
