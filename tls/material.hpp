// What a virtual host shows and asks for: certificates, key, trust, protocols.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tls/openssl.hpp"

namespace bulkhead::tls {

enum class client_certificates : std::uint8_t {
  off,       // none is asked for
  optional,  // asked for; one that is sent must be good
  required,  // the handshake fails without a good one
};

struct material_files {
  std::string certificate_file = {};  // PEM: the host's certificate, then each one's issuer
  std::string key_file = {};          // PEM, RSA from 2048 bits or EC; may be the same file
  std::string password_file = {};     // its first line opens the key; empty: it is not encrypted
  client_certificates clients = client_certificates::off;
  std::string client_ca_file = {};  // PEM: who is trusted to sign clients' certificates
  // RFC 7301. The most wanted first; empty: the extension is ignored.
  std::vector<std::string> protocols = {"http/1.1"};
};

// Parsed and checked once; constant and shared. Nothing in it is ever given to a
// session: sessions work on copies that are made without parsing PEM. Any thread may
// read it, and reading writes nothing, reference counts included
// (tests/tls/isolation.cpp maps it read-only).
class material {
 public:
  struct loaded {
    std::shared_ptr<const material> value;  // null: see the error
    std::string error;                      // file and reason, no secret
  };

  // Checks besides syntax: the key belongs to the certificate, each certificate is
  // signed by the next one, none is expired or not yet valid at `now`, the first one
  // may be used by a server, and OpenSSL's security level 2 takes all of them.
  static loaded load(const material_files& files, std::chrono::system_clock::time_point now);

  const std::vector<std::string>& names() const { return names_; }
  client_certificates clients() const { return clients_; }
  // When the first of its certificates expires.
  std::chrono::system_clock::time_point expires() const { return expires_; }

  // --- for the room ---

  const std::vector<x509_ptr>& chain() const { return chain_; }  // the host's own first
  const key_ptr& key() const { return key_; }
  const std::vector<x509_ptr>& client_cas() const { return client_cas_; }
  // Length-prefixed, RFC 7301 section 3.1.
  const std::vector<unsigned char>& protocols() const { return protocols_; }
  // Tells apart hosts and what they ask of clients: a session resumes only where its
  // ticket was made, under the same rules (CVE-2025-23419).
  const std::array<unsigned char, 32>& binding() const { return binding_; }

 private:
  material() = default;
  std::string check(const material_files& files, std::chrono::system_clock::time_point now) const;
  std::string add_protocols(const std::vector<std::string>& names);
  void bind();

  std::vector<x509_ptr> chain_;
  key_ptr key_;
  std::vector<x509_ptr> client_cas_;
  client_certificates clients_ = client_certificates::off;
  std::vector<std::string> names_;
  std::vector<unsigned char> protocols_;
  std::array<unsigned char, 32> binding_{};
  std::chrono::system_clock::time_point expires_;
};

}  // namespace bulkhead::tls
