// The secrets from which session tickets are encrypted.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace bulkhead::tls {

// A value: the current secret, which makes tickets, and the previous one, whose
// tickets are still taken and replaced. Rotate every few hours: who learns a secret
// can read the TLS 1.2 sessions of its time (RFC 5077 section 5.5).
class ticket_keys {
 public:
  static constexpr std::size_t secret_bytes = 32;
  using secret = std::array<unsigned char, secret_bytes>;

  // A random current secret, no previous one. Throws std::runtime_error when OpenSSL
  // has no random numbers.
  static ticket_keys generate();
  // A new current secret; the current one becomes the previous one.
  ticket_keys rotated() const;

  ticket_keys(const ticket_keys&) = default;
  ticket_keys& operator=(const ticket_keys&) = default;
  ~ticket_keys();

  const secret& current() const { return current_; }
  const std::optional<secret>& previous() const { return previous_; }

 private:
  ticket_keys();

  secret current_;
  std::optional<secret> previous_;
};

// What one secret becomes for one virtual host: tickets of another host, or of other
// rules for client certificates, have another name and don't decrypt.
struct host_ticket_key {
  std::array<unsigned char, 16> name;
  std::array<unsigned char, 32> cipher_key;  // AES-256-CBC
  std::array<unsigned char, 32> mac_key;     // HMAC-SHA-256

  host_ticket_key(const ticket_keys::secret& from, const std::array<unsigned char, 32>& binding);
  host_ticket_key(const host_ticket_key&) = default;
  host_ticket_key& operator=(const host_ticket_key&) = default;
  ~host_ticket_key();
};

}  // namespace bulkhead::tls
