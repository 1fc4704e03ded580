#include "tls/self_signed.hpp"

#include <openssl/crypto.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "tls/error.hpp"
#include "tls/library.hpp"
#include "tls/openssl.hpp"

namespace bulkhead::tls {
namespace {

void require(bool done) {
  if (done) return;
  throw std::runtime_error("cannot make a certificate: " + std::string(drain_errors().detail));
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  require(RAND_bytes_ex(library(), reinterpret_cast<unsigned char*>(&number), sizeof number, 0) ==
          1);
  return number;
}

void add_extension(X509* certificate, int type, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, freed_by<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, type, value));
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

void set_times(X509* certificate, std::chrono::system_clock::time_point now) {
  using std::chrono::system_clock;
  const auto from = system_clock::to_time_t(now - std::chrono::hours(1));
  const auto until = system_clock::to_time_t(now + self_signed_lifetime);
  require(ASN1_TIME_set(X509_getm_notBefore(certificate), from) &&
          ASN1_TIME_set(X509_getm_notAfter(certificate), until));
}

void set_subject(X509* certificate) {
  auto* name = X509_get_subject_name(certificate);
  constexpr std::string_view text = "localhost";
  require(X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_ASC,
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()), -1, 0) == 1 &&
          X509_set_issuer_name(certificate, name) == 1);
}

x509_ptr make_certificate(EVP_PKEY* key, std::chrono::system_clock::time_point now) {
  x509_ptr made(X509_new_ex(library(), nullptr));
  auto* const certificate = made.get();
  require(certificate && X509_set_version(certificate, X509_VERSION_3) == 1);
  require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), random_number()) == 1);
  set_times(certificate, now);
  set_subject(certificate);
  require(X509_set_pubkey(certificate, key) == 1);
  add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate, NID_key_usage, "critical,digitalSignature");
  add_extension(certificate, NID_ext_key_usage, "serverAuth");
  add_extension(certificate, NID_subject_key_identifier, "hash");
  add_extension(certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
  require(X509_sign(certificate, key, EVP_sha256()) > 0);
  return made;
}

std::string text_in(BIO* bio) {
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string reason() {
  return errno ? std::generic_category().message(errno) : "cannot be written";
}

// Writes beside the file and moves it there.
std::string write_whole(const std::string& file, std::string_view text, bool is_secret) {
  const auto unfinished = file + "." + std::to_string(random_number());
  errno = 0;
  // The standard library has no way to create a file that others can't open for a
  // moment. OpenSSL does, for its random seeds: with mode 0600. Then it is overwritten.
  if (is_secret && RAND_write_file(unfinished.c_str()) < 0) return file + ": " + reason();
  std::ofstream stream;
  stream.rdbuf()->pubsetbuf(nullptr, 0);  // no copy of the key stays in a buffer
  stream.open(unfinished, std::ios::binary | std::ios::trunc);
  stream << text << std::flush;
  const auto written = stream.good();
  const auto why = written ? std::string() : reason();
  stream.close();
  std::error_code failed;
  if (written) std::filesystem::rename(unfinished, file, failed);
  if (written && !failed) return {};
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  return file + ": " + (written ? failed.message() : why);
}

}  // namespace

self_signed make_self_signed(std::chrono::system_clock::time_point now) {
  const key_ptr key(EVP_PKEY_Q_keygen(library(), nullptr, "EC", "P-256"));
  require(key != nullptr);
  const auto certificate = make_certificate(key.get(), now);
  const bio_ptr certificate_text(BIO_new(BIO_s_mem()));
  const bio_ptr key_text(BIO_new(BIO_s_secmem()));
  require(certificate_text && key_text);
  require(PEM_write_bio_X509(certificate_text.get(), certificate.get()) == 1);
  require(PEM_write_bio_PrivateKey_ex(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                      nullptr, library(), nullptr) == 1);
  return {text_in(certificate_text.get()), text_in(key_text.get())};
}

std::string write_self_signed(const std::string& certificate_file, const std::string& key_file,
                              std::chrono::system_clock::time_point now) try {
  auto made = make_self_signed(now);
  auto fault = write_whole(key_file, made.key, true);
  OPENSSL_cleanse(made.key.data(), made.key.size());
  return fault.empty() ? write_whole(certificate_file, made.certificate, false) : fault;
} catch (const std::runtime_error& failed) {
  return certificate_file + ": " + failed.what();
}

}  // namespace bulkhead::tls
