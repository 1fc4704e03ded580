// The one process-wide OpenSSL library context of this room.
//
// Everything that OpenSSL itself shares between sessions is in here and nowhere
// else: fetched algorithms (constant, counted references), the random generators
// (one a thread), names of algorithms. It holds nothing of any session.
#pragma once

#include <openssl/types.h>

namespace bulkhead::tls {

// Made on first use, by any thread, and never freed, so that it outlives whatever
// is destroyed at exit. Throws std::runtime_error when OpenSSL cannot be set up.
OSSL_LIB_CTX* library();

// For tickets; fetched once, since a fetch takes locks. Constant.
const EVP_CIPHER* ticket_cipher();

}  // namespace bulkhead::tls
