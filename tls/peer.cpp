// What an engine knows of its peer.
#include <openssl/x509.h>

#include <array>
#include <memory>

#include "tls/engine.hpp"
#include "tls/library.hpp"

namespace bulkhead::tls {
namespace {

std::string subject_of(const X509& certificate) {
  const bio_ptr text(BIO_new(BIO_s_mem()));
  if (!text) return {};
  X509_NAME_print_ex(text.get(), X509_get_subject_name(&certificate), 0, XN_FLAG_RFC2253);
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(text.get(), &bytes);
  return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : std::string();
}

std::string fingerprint_of(const X509& certificate) {
  const std::unique_ptr<EVP_MD, freed_by<EVP_MD_free>> sha256(
      EVP_MD_fetch(library(), "SHA256", nullptr));
  std::array<unsigned char, EVP_MAX_MD_SIZE> octets{};
  unsigned size = 0;
  if (!sha256 || X509_digest(&certificate, sha256.get(), octets.data(), &size) != 1) return {};
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[octets[i] >> 4];
    text += "0123456789abcdef"[octets[i] & 15];
  }
  return text;
}

}  // namespace

std::string_view engine::version() const {
  return state_.open ? SSL_get_version(ssl_.get()) : std::string_view();
}

std::string_view engine::cipher() const {
  const auto* cipher = state_.open ? SSL_get_current_cipher(ssl_.get()) : nullptr;
  return cipher ? SSL_CIPHER_standard_name(cipher) : std::string_view();
}

bool engine::is_resumed() const {
  return state_.open && SSL_session_reused(ssl_.get()) == 1;
}

std::string_view engine::protocol() const {
  const unsigned char* bytes = nullptr;
  unsigned size = 0;
  if (state_.open) SSL_get0_alpn_selected(ssl_.get(), &bytes, &size);
  return {reinterpret_cast<const char*>(bytes), size};
}

std::optional<engine::client_certificate> engine::client() const {
  const auto* certificate = state_.open ? SSL_get0_peer_certificate(ssl_.get()) : nullptr;
  if (!certificate) return std::nullopt;
  client_certificate known{subject_of(*certificate), fingerprint_of(*certificate)};
  clear_errors();
  return known;
}

}  // namespace bulkhead::tls
