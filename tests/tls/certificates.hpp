// Certificates made in the test by OpenSSL's default library, as files.
#pragma once

#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tls/material.hpp"
#include "tls/openssl.hpp"

namespace bulkhead::tests {

struct certificate_wish {
  std::string common_name = "test";
  std::vector<std::string> names = {};  // DNS names of subjectAltName; none: no extension
  bool is_authority = false;
  bool is_rsa = false;
  long valid_from_s = -3600;  // from now
  long valid_until_s = 86400;
  std::string purpose = {};  // extended key usage; empty: none
};

struct certified {
  tls::key_ptr key;
  tls::x509_ptr certificate;

  std::string certificate_pem() const;
  std::string key_pem(const std::string& password = {}) const;
};

// Signed by `issuer`, or by itself.
certified certify(const certificate_wish& wish, const certified* issuer = nullptr);

void write_file(const std::string& file, const std::string& text);
std::string read_file(const std::string& file);

struct client_rule {
  tls::client_certificates rule = tls::client_certificates::off;
  std::string ca_pem = {};
};

// A folder of files in which materials are loaded.
class workshop {
 public:
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string write(const std::string& name, const std::string& text) const;

  // A host with these names and a certificate signed by itself. Throws what is wrong.
  std::shared_ptr<const tls::material> host(std::vector<std::string> names,
                                            const client_rule& asked = {},
                                            bool is_rsa = false) const;
  std::shared_ptr<const tls::material> host_of(const certified& one,
                                               const client_rule& asked = {}) const;

 private:
  temporary_folder folder_;
};

}  // namespace bulkhead::tests
