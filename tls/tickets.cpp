// Session tickets, made and read with the keys of the session's virtual host.
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "tls/callbacks.hpp"
#include "tls/library.hpp"
#include "tls/session_state.hpp"

namespace bulkhead::tls {
namespace {

constexpr int iv_bytes = 16;
constexpr int failed = -1;
constexpr int unusable = 0;  // a full handshake follows
constexpr int good = 1;
constexpr int good_but_old = 2;  // good, and to be replaced

int begin(const host_ticket_key& key, const unsigned char* iv, EVP_CIPHER_CTX* cipher,
          EVP_MAC_CTX* mac, int making) {
  char hash[] = "SHA256";
  auto mac_key = key.mac_key;
  const std::array<OSSL_PARAM, 3> parameters = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, mac_key.data(), mac_key.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, hash, 0), OSSL_PARAM_construct_end()};
  const bool done =
      EVP_MAC_CTX_set_params(mac, parameters.data()) == 1 &&
      EVP_CipherInit_ex2(cipher, ticket_cipher(), key.cipher_key.data(), iv, making, nullptr) == 1;
  OPENSSL_cleanse(mac_key.data(), mac_key.size());
  return done ? good : failed;
}

}  // namespace

int on_ticket(SSL* session, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
              EVP_MAC_CTX* mac, int making) {
  const auto& keys = session_state::of(session).host->tickets;
  if (making) {
    std::ranges::copy(keys.front().name, name);
    if (RAND_bytes_ex(library(), iv, iv_bytes, 0) != 1) return failed;
    return begin(keys.front(), iv, cipher, mac, making);
  }
  const auto found = std::ranges::find_if(keys, [&](const auto& key) {
    return std::ranges::equal(key.name, std::span(name, key.name.size()));
  });
  if (found == keys.end()) return unusable;
  const int begun = begin(*found, iv, cipher, mac, making);
  return begun == good && found != keys.begin() ? good_but_old : begun;
}

}  // namespace bulkhead::tls
