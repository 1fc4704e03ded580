#include "tls/ticket_keys.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tls/library.hpp"

namespace bulkhead::tls {
namespace {

using binding = std::array<unsigned char, 32>;

std::array<unsigned char, 32> derive(const ticket_keys::secret& from, std::string_view label,
                                     const binding& host) {
  std::string data(label);
  data.append(reinterpret_cast<const char*>(host.data()), host.size());
  std::array<unsigned char, 32> result;
  std::size_t size = 0;
  if (!EVP_Q_mac(library(), "HMAC", nullptr, "SHA256", nullptr, from.data(), from.size(),
                 reinterpret_cast<const unsigned char*>(data.data()), data.size(), result.data(),
                 result.size(), &size))
    throw std::runtime_error("OpenSSL has no HMAC");
  return result;
}

}  // namespace

ticket_keys::ticket_keys() {
  if (RAND_priv_bytes_ex(library(), current_.data(), current_.size(), 0) != 1)
    throw std::runtime_error("OpenSSL has no random numbers");
}

ticket_keys::~ticket_keys() {
  OPENSSL_cleanse(current_.data(), current_.size());
  if (previous_) OPENSSL_cleanse(previous_->data(), previous_->size());
}

ticket_keys ticket_keys::generate() {
  return {};
}

ticket_keys ticket_keys::rotated() const {
  ticket_keys next;
  next.previous_ = current_;
  return next;
}

host_ticket_key::host_ticket_key(const ticket_keys::secret& from, const binding& host)
    : cipher_key(derive(from, "encrypt", host)), mac_key(derive(from, "authenticate", host)) {
  std::ranges::copy_n(derive(from, "name", host).begin(), std::ssize(name), name.begin());
}

host_ticket_key::~host_ticket_key() {
  OPENSSL_cleanse(cipher_key.data(), cipher_key.size());
  OPENSSL_cleanse(mac_key.data(), mac_key.size());
}

}  // namespace bulkhead::tls
