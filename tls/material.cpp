#include "tls/material.hpp"

#include <openssl/asn1.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "tls/error.hpp"
#include "tls/host_copy.hpp"
#include "tls/library.hpp"
#include "tls/pem.hpp"
#include "tls/server_name.hpp"

namespace bulkhead::tls {
namespace {

using time_point = std::chrono::system_clock::time_point;

std::string place(const material_files& files, std::size_t index, std::size_t count) {
  if (count == 1) return files.certificate_file + ": the certificate ";
  return files.certificate_file + ": certificate " + std::to_string(index + 1) + " of " +
         std::to_string(count) + " ";
}

time_point time_of(const ASN1_TIME* when) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(when, &parts) != 1) return {};
  using namespace std::chrono;
  const year_month_day day{year(parts.tm_year + 1900),
                           month(static_cast<unsigned>(parts.tm_mon + 1)),
                           std::chrono::day(static_cast<unsigned>(parts.tm_mday))};
  return sys_days(day) + hours(parts.tm_hour) + minutes(parts.tm_min) + seconds(parts.tm_sec);
}

std::string_view validity_fault(const X509& certificate, time_point now) {
  if (time_of(X509_get0_notBefore(&certificate)) > now) return "is not valid yet";
  if (time_of(X509_get0_notAfter(&certificate)) < now) return "is expired";
  return {};
}

bool is_signed_by(X509* certificate, X509* issuer) {
  return X509_check_issued(issuer, certificate) == X509_V_OK &&
         X509_verify(certificate, X509_get0_pubkey(issuer)) == 1;
}

using digest = std::array<unsigned char, 32>;

class hash {
 public:
  hash() : context_(EVP_MD_CTX_new()) {
    const std::unique_ptr<EVP_MD, freed_by<EVP_MD_free>> sha256(
        EVP_MD_fetch(library(), "SHA256", nullptr));
    if (EVP_DigestInit_ex2(context_.get(), sha256.get(), nullptr) != 1)
      throw std::runtime_error("OpenSSL has no SHA-256");
  }
  void add(const void* bytes, std::size_t size) { EVP_DigestUpdate(context_.get(), bytes, size); }
  void add(const X509& certificate) {
    unsigned char* der = nullptr;
    const int size = i2d_X509(&certificate, &der);
    if (size < 0) throw std::bad_alloc();
    add(der, static_cast<std::size_t>(size));
    OPENSSL_free(der);
  }
  digest value() {
    digest result;
    EVP_DigestFinal_ex(context_.get(), result.data(), nullptr);
    return result;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>> context_;
};

}  // namespace

material::loaded material::load(const material_files& files, time_point now) {
  auto certificates = read_certificates(files.certificate_file);
  if (!certificates.error.empty()) return {nullptr, std::move(certificates.error)};
  auto key = read_private_key(files.key_file, files.password_file);
  if (!key.error.empty()) return {nullptr, std::move(key.error)};
  std::shared_ptr<material> made(new material);
  made->chain_ = std::move(certificates.certificates);
  made->key_ = std::move(key.key);
  made->clients_ = files.clients;
  if (files.clients != client_certificates::off) {
    if (files.client_ca_file.empty())
      return {nullptr, files.certificate_file +
                           ": client certificates are asked for, but no CA file is given"};
    auto cas = read_certificates(files.client_ca_file);
    if (!cas.error.empty()) return {nullptr, std::move(cas.error)};
    made->client_cas_ = std::move(cas.certificates);
  }
  if (auto fault = made->add_protocols(files.protocols); !fault.empty())
    return {nullptr, std::move(fault)};
  made->names_ = names_of(*made->chain_.front());
  made->bind();
  auto fault = made->check(files, now);
  clear_errors();
  if (!fault.empty()) return {nullptr, std::move(fault)};
  made->expires_ = time_point::max();
  for (const auto& one : made->chain_)
    made->expires_ = std::min(made->expires_, time_of(X509_get0_notAfter(one.get())));
  return {std::move(made), {}};
}

std::string material::check(const material_files& files, time_point now) const {
  if (X509_check_private_key(chain_.front().get(), key_.get()) != 1)
    return files.key_file + ": the key does not belong to the certificate in " +
           files.certificate_file;
  // The check above compares public halves alone.
  const pkey_context_ptr halves(EVP_PKEY_CTX_new_from_pkey(library(), key_.get(), nullptr));
  if (!halves || EVP_PKEY_pairwise_check(halves.get()) != 1)
    return files.key_file + ": the key's halves do not belong together";
  for (std::size_t i = 0; i < chain_.size(); ++i) {
    if (const auto fault = validity_fault(*chain_[i], now); !fault.empty())
      return place(files, i, chain_.size()) + std::string(fault);
    if (i > 0 && !is_signed_by(chain_[i - 1].get(), chain_[i].get()))
      return place(files, i, chain_.size()) +
             "did not sign the one before it; the host's comes first, then each one's issuer";
  }
  if (X509_check_purpose(chain_.front().get(), X509_PURPOSE_SSL_SERVER, 0) != 1)
    return place(files, 0, chain_.size()) + "is not for servers";
  if (const auto refused = host_copy::trial(*this); !refused.empty())
    return files.certificate_file + ": refused by OpenSSL: " + std::string(refused);
  return {};
}

std::string material::add_protocols(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (name.empty() || name.size() > 255) return "an ALPN protocol has 1 to 255 bytes";
    protocols_.push_back(static_cast<unsigned char>(name.size()));
    protocols_.insert(protocols_.end(), name.begin(), name.end());
  }
  return {};
}

void material::bind() {
  hash all;
  for (const auto& name : names_) all.add(name.c_str(), name.size() + 1);
  if (names_.empty()) all.add(*chain_.front());
  all.add(&clients_, sizeof clients_);
  for (const auto& ca : client_cas_) all.add(*ca);
  binding_ = all.value();
}

}  // namespace bulkhead::tls
