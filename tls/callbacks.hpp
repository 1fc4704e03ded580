// What OpenSSL asks in the middle of a call of the engine. All of them run on the
// thread of that call, throw nothing, and know one session.
#pragma once

#include <openssl/ssl.h>

namespace bulkhead::tls {

// hello.cpp. Chooses the virtual host before OpenSSL looks at tickets and versions.
int on_client_hello(SSL* session, int* alert, void*);
int on_server_name(SSL* session, int* alert, void*);
int on_alpn(SSL* session, const unsigned char** chosen, unsigned char* chosen_bytes,
            const unsigned char* offered, unsigned int offered_bytes, void*);

// tickets.cpp. RFC 5077 section 4.
int on_ticket(SSL* session, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
              EVP_MAC_CTX* mac, int making);

// client_verification.cpp. RFC 5280 section 6.
int on_client_certificate(X509_STORE_CTX* verification, void*);

// engine.cpp. Counts records that carry no data.
void on_record(int written, int version, int type, const void* bytes, size_t size, SSL* session,
               void*);

}  // namespace bulkhead::tls
