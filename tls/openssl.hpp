// Owners of OpenSSL's objects.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace bulkhead::tls {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};

using ssl_ptr = std::unique_ptr<SSL, freed_by<SSL_free>>;
using ssl_ctx_ptr = std::unique_ptr<SSL_CTX, freed_by<SSL_CTX_free>>;
using bio_ptr = std::unique_ptr<BIO, freed_by<BIO_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, freed_by<EVP_PKEY_free>>;
using pkey_context_ptr = std::unique_ptr<EVP_PKEY_CTX, freed_by<EVP_PKEY_CTX_free>>;
using x509_ptr = std::unique_ptr<X509, freed_by<X509_free>>;

// Frees the certificates with the stack.
struct free_x509_stack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
using x509_stack_ptr = std::unique_ptr<STACK_OF(X509), free_x509_stack>;

struct free_general_names {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
using general_names_ptr = std::unique_ptr<GENERAL_NAMES, free_general_names>;

}  // namespace bulkhead::tls
