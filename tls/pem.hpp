// PEM files as parsed objects. Errors are sentences that name the file and the
// reason and hold nothing of its content.
#pragma once

#include <string>
#include <vector>

#include "tls/openssl.hpp"

namespace bulkhead::tls {

struct pem_certificates {
  std::vector<x509_ptr> certificates;  // in the file's order, at least one
  std::string error;                   // empty: read
};

struct pem_key {
  key_ptr key;        // RSA or EC
  std::string error;  // empty: read
};

// RFC 7468 section 5. Other PEM blocks of the file, such as a key, are skipped.
pem_certificates read_certificates(const std::string& file);

// RFC 5958 (PKCS #8, encrypted or not) and the older forms of OpenSSL. The password
// is the first line of `password_file`; an empty name says that there is none.
pem_key read_private_key(const std::string& file, const std::string& password_file);

}  // namespace bulkhead::tls
