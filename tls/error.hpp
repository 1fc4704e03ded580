// Why a TLS session failed, as a value. What a peer can cause never throws.
#pragma once

#include <cstdint>
#include <string_view>

namespace bulkhead::tls {

enum class failure : std::uint8_t {
  none,
  not_tls,               // the first bytes are no TLS record and no HTTP request
  protocol,              // what the peer sent breaks the protocol or does not decrypt
  unsupported_version,   // older than TLS 1.2
  no_shared_cipher,      // nor group, nor signature algorithm
  unknown_server_name,   // RFC 6066 section 3, where unknown names are refused
  application_protocol,  // RFC 7301 section 3.2: no protocol in common
  client_certificate,    // missing, or not to be trusted
  peer_alert,            // the peer refused us with a fatal alert
  control_flood,         // only key updates, renegotiations and alerts
  resources,             // no memory, no random numbers, or OpenSSL itself failed
};

struct error {
  failure what = failure::none;
  // What OpenSSL or the verification of a certificate says of it. Static storage,
  // may be empty, contains nothing that a peer sent.
  std::string_view detail;

  explicit operator bool() const { return what != failure::none; }
};

// One phrase for the log. Static storage.
std::string_view text_of(failure what);

// The first entry of TLS in this thread's OpenSSL error queue, or else its last one;
// the queue is empty afterwards.
// An empty queue gives failure::resources.
error drain_errors();

// Empties the queue: each call of the engine begins and ends so, since the queue
// belongs to the thread and the session may move to another one.
void clear_errors();

}  // namespace bulkhead::tls
