// The SSL_CTX of one session: versions, ciphers, groups and callbacks. What depends
// on the virtual host comes with the ClientHello (hello.cpp).
#pragma once

#include "tls/openssl.hpp"

namespace bulkhead::tls {

// TLS 1.2 (RFC 5246, with AEAD and ephemeral keys only) and 1.3 (RFC 8446); no
// renegotiation, no compression, no early data; sessions resume by tickets alone.
// Sessions made with it need a session_state as their app data. Throws std::bad_alloc.
ssl_ctx_ptr make_context();

}  // namespace bulkhead::tls
