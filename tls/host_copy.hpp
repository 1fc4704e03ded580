// A session's own copy of what a virtual host shows.
#pragma once

#include <string_view>

#include "tls/material.hpp"
#include "tls/openssl.hpp"

namespace bulkhead::tls {

// Certificates carry caches and locks, keys carry counters and caches of operations,
// so that each session works on duplicates: the material's are only read. A copy
// serves one handshake at a time; after it the session needs none.
class host_copy {
 public:
  // Throws std::bad_alloc.
  explicit host_copy(const material& from);

  // For the session that holds this copy, from its ClientHello to the end of its
  // handshake; then SSL_certs_clear() takes it back. False: see the error queue.
  bool install(SSL* session, const material& from) const;

  // Whether OpenSSL takes the certificates and the key; empty: it does.
  static std::string_view trial(const material& from);

  // --- for tests ---

  const x509_ptr& certificate() const { return certificate_; }
  const key_ptr& key() const { return key_; }

 private:
  x509_ptr certificate_;
  x509_stack_ptr chain_;  // the others
  key_ptr key_;
};

}  // namespace bulkhead::tls
