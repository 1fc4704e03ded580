#include "actors/websocket.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "protocol/tokens.hpp"
#include "tls/error.hpp"
#include "tls/library.hpp"

namespace bulkhead {

namespace {

constexpr std::string_view name = "websocket";
constexpr std::string_view version = "13";

// 16 octets in base64.
bool is_key(std::string_view text) {
  constexpr std::size_t digits = 22;
  if (text.size() != digits + 2 || !text.ends_with("==")) return false;
  const auto first = text.substr(0, digits);
  return first.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") == first.npos;
}

// RFC 6455 section 4.2.2 item 5.4. SHA-1 protects nothing here: it shows that the server knows the
// protocol.
std::string accept_for(std::string_view key) {
  const auto text = std::string(key) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  constexpr std::size_t digest_bytes = 20;
  std::array<unsigned char, digest_bytes> digest{};
  std::array<unsigned char, 4 * ((digest_bytes + 2) / 3) + 1> encoded{};
  if (EVP_Q_digest(tls::library(), "SHA1", nullptr, text.data(), text.size(), digest.data(),
                   nullptr) != 1) {
    tls::clear_errors();
    throw std::runtime_error("OpenSSL has no SHA-1 for the WebSocket handshake");
  }
  const int size = EVP_EncodeBlock(encoded.data(), digest.data(), digest_bytes);
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size)};
}

bool asks_for_websocket(const request& asked) {
  for (auto offers = asked.upgrade(); !offers.empty();)
    if (protocol::same_word(protocol::take_member(offers), name)) return true;
  return false;
}

// The value of a field that is there once; empty otherwise.
std::string_view only_value(const request& asked, std::string_view field_name) {
  std::string_view found;
  int count = 0;
  for (const auto field : asked.fields()) {
    if (!protocol::same_word(field.name, field_name)) continue;
    found = field.value;
    ++count;
  }
  return count == 1 ? found : std::string_view{};
}

response upgrade_required() {
  auto answer = response::text("this is a WebSocket of version 13\n", 426);
  answer.set("Upgrade", name).set("Sec-WebSocket-Version", version);
  return answer;
}

// One connection, from its 101 on.
class conversation {
 public:
  explicit conversation(websocket_handlers handlers)
      : connection_(handlers.limits), handlers_(std::move(handlers)) {}

  bool take(std::string_view received, std::string& out) {
    using kind = protocol::websocket_event_kind;
    websocket_peer peer(connection_, out);
    for (;;) {
      const auto found = connection_.next(received, out);
      received.remove_prefix(found.consumed);
      switch (found.kind) {
        case kind::need_more:
          return !connection_.must_close();
        case kind::text:
          deliver(handlers_.on_text, peer, found.content);
          break;
        case kind::binary:
          deliver(handlers_.on_binary, peer, found.content);
          break;
        case kind::pong:
          break;
        case kind::closed:
        case kind::refused:
          if (handlers_.on_close) handlers_.on_close(found.code, found.content);
          break;
      }
    }
  }

  void drain(std::string& out) { connection_.close(websocket_code::going_away, {}, out); }

 private:
  template <class Handler>
  static void deliver(const Handler& handle, websocket_peer& peer, std::string_view message) {
    if (handle)
      handle(peer, message);
    else
      peer.close(websocket_code::unsupported_data);
  }

  protocol::websocket_connection connection_;
  websocket_handlers handlers_;
};

}  // namespace

response websocket(const request& asked, websocket_handlers handlers) {
  if (asked.method() != "GET" || !asks_for_websocket(asked)) return upgrade_required();
  if (asked.field("sec-websocket-version") && only_value(asked, "sec-websocket-version") != version)
    return upgrade_required();
  const auto key = only_value(asked, "sec-websocket-key");
  if (!asked.field("sec-websocket-version") || !is_key(key))
    return response::text("malformed WebSocket handshake\n", 400);
  response answer(101);
  answer.set("Upgrade", name).set("Sec-WebSocket-Accept", accept_for(key));
  const auto talk = std::make_shared<conversation>(std::move(handlers));
  answer.set_upgrade({.receive = [talk](std::string_view received,
                                        std::string& out) { return talk->take(received, out); },
                      .drain = [talk](std::string& out) { talk->drain(out); }});
  return answer;
}

}  // namespace bulkhead
