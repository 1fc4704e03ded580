// The ClientHello: which virtual host, which application protocol.
#include <cstddef>
#include <exception>
#include <span>

#include "tls/callbacks.hpp"
#include "tls/server_name.hpp"
#include "tls/session_state.hpp"

namespace bulkhead::tls {
namespace {

std::string asked_name(SSL* session) {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  if (SSL_client_hello_get0_ext(session, TLSEXT_TYPE_server_name, &bytes, &size) != 1) return {};
  return requested_server_name({bytes, size});
}

int refuse(session_state& state, failure why, int* alert, int description) {
  state.refused = why;
  *alert = description;
  return SSL_CLIENT_HELLO_ERROR;
}

}  // namespace

// Not in the server name callback: with TLS 1.3 OpenSSL calls that one after it has
// resumed a session, and the ticket of one host would open another (CVE-2025-23419).
int on_client_hello(SSL* session, int* alert, void*) try {
  auto& state = session_state::of(session);
  if (state.host) return SSL_CLIENT_HELLO_SUCCESS;  // the second one, after HelloRetryRequest
  state.server_name = asked_name(session);
  state.host = state.pool->hosts().find(state.server_name);
  if (!state.host)
    return refuse(state, failure::unknown_server_name, alert, SSL_AD_UNRECOGNIZED_NAME);
  state.copy = state.pool->copy_of(*state.host);
  if (!state.copy->install(session, *state.host->shown))
    return refuse(state, failure::resources, alert, SSL_AD_INTERNAL_ERROR);
  return SSL_CLIENT_HELLO_SUCCESS;
} catch (const std::exception&) {
  return refuse(session_state::of(session), failure::resources, alert, SSL_AD_INTERNAL_ERROR);
}

// Only says that the name was used, RFC 6066 section 3.
int on_server_name(SSL* session, int*, void*) {
  return session_state::of(session).server_name.empty() ? SSL_TLSEXT_ERR_NOACK : SSL_TLSEXT_ERR_OK;
}

int on_alpn(SSL* session, const unsigned char** chosen, unsigned char* chosen_bytes,
            const unsigned char* offered, unsigned int offered_bytes, void*) {
  const auto& known = session_state::of(session).host->shown->protocols();
  if (known.empty()) return SSL_TLSEXT_ERR_NOACK;
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, chosen_bytes, known.data(),
                            static_cast<unsigned int>(known.size()), offered,
                            offered_bytes) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace bulkhead::tls
