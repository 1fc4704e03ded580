// A certificate for the machine itself, for a first run without any.
#pragma once

#include <chrono>
#include <string>

namespace bulkhead::tls {

inline constexpr std::chrono::days self_signed_lifetime{397};

struct self_signed {
  std::string certificate;  // PEM
  std::string key;          // PEM, PKCS #8, not encrypted
};

// A new P-256 key and a certificate for localhost, 127.0.0.1 and ::1, valid from an
// hour before `now` (clocks differ). Throws std::runtime_error when OpenSSL fails.
self_signed make_self_signed(std::chrono::system_clock::time_point now);

// The same as two files. The key is readable by its owner only, from its first byte
// on; each file appears whole or not at all, the key first. Returns the error with
// the file's name; empty: done.
std::string write_self_signed(const std::string& certificate_file, const std::string& key_file,
                              std::chrono::system_clock::time_point now);

}  // namespace bulkhead::tls
