#include "tests/tls/certificates.hpp"

#include <openssl/pem.h>
#include <openssl/rand.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace bulkhead::tests {
namespace {

using namespace tls;

void require(bool done) {
  if (!done) throw std::runtime_error("the test cannot make its certificate");
}

void extend(X509* certificate, X509* issuer, int type, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  auto* extension = X509V3_EXT_conf_nid(nullptr, &context, type, value.c_str());
  require(extension && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "DNS:" : ",DNS:") + name;
  return text;
}

std::string text_in(BIO* bio) {
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(bio, &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace

std::string certified::certificate_pem() const {
  const bio_ptr bio(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(bio.get(), certificate.get()) == 1);
  return text_in(bio.get());
}

std::string certified::key_pem(const std::string& password) const {
  const bio_ptr bio(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_PKCS8PrivateKey(
              bio.get(), key.get(), password.empty() ? nullptr : EVP_aes_128_cbc(), password.data(),
              static_cast<int>(password.size()), nullptr, nullptr) == 1);
  return text_in(bio.get());
}

certified certify(const certificate_wish& wish, const certified* issuer) {
  certified made{key_ptr(wish.is_rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256")),
                 x509_ptr(X509_new())};
  auto* const x = made.certificate.get();
  require(made.key && x && X509_set_version(x, X509_VERSION_3) == 1);
  std::uint64_t serial = 0;
  require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(x), serial);
  X509_gmtime_adj(X509_getm_notBefore(x), wish.valid_from_s);
  X509_gmtime_adj(X509_getm_notAfter(x), wish.valid_until_s);
  auto* name = X509_get_subject_name(x);
  X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(wish.common_name.data()),
                             static_cast<int>(wish.common_name.size()), -1, 0);
  auto* const by = issuer ? issuer->certificate.get() : x;
  X509_set_issuer_name(x, X509_get_subject_name(by));
  X509_set_pubkey(x, made.key.get());
  extend(x, by, NID_basic_constraints, wish.is_authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (!wish.names.empty()) extend(x, by, NID_subject_alt_name, joined(wish.names));
  if (!wish.purpose.empty()) extend(x, by, NID_ext_key_usage, wish.purpose);
  require(X509_sign(x, issuer ? issuer->key.get() : made.key.get(), EVP_sha256()) > 0);
  return made;
}

void write_file(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string read_file(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::string workshop::write(const std::string& name, const std::string& text) const {
  write_file(file(name), text);
  return file(name);
}

std::shared_ptr<const material> workshop::host(std::vector<std::string> names,
                                               const client_rule& asked, bool is_rsa) const {
  return host_of(certify({.names = std::move(names), .is_rsa = is_rsa}), asked);
}

std::shared_ptr<const material> workshop::host_of(const certified& one,
                                                  const client_rule& asked) const {
  material_files files{.certificate_file = write("host.pem", one.certificate_pem()),
                       .key_file = write("host.key", one.key_pem()),
                       .clients = asked.rule};
  if (!asked.ca_pem.empty()) files.client_ca_file = write("ca.pem", asked.ca_pem);
  auto loaded = material::load(files, std::chrono::system_clock::now());
  if (!loaded.value) throw std::runtime_error(loaded.error);
  return loaded.value;
}

}  // namespace bulkhead::tests
