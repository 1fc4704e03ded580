#include "tls/context.hpp"

#include <new>

#include "tls/callbacks.hpp"
#include "tls/groups.hpp"
#include "tls/library.hpp"

namespace bulkhead::tls {
namespace {

// AES-128 first: as safe here, and faster. PRIORITIZE_CHACHA puts ChaCha20 before it
// for clients that do so, which are those without AES instructions.
constexpr auto ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr auto ciphersuites =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

// Tickets carry the client's certificate, which is not verified anew.
constexpr long ticket_lifetime_s = 7200;
constexpr int client_chain_depth_max = 8;

bool set_up(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // Idle connections hold no record buffers; writes may come again from elsewhere.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY |
                                SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(context, ticket_lifetime_s);
  SSL_CTX_set_verify_depth(context, client_chain_depth_max);
  SSL_CTX_set_client_hello_cb(context, on_client_hello, nullptr);
  SSL_CTX_set_tlsext_servername_callback(context, on_server_name);
  SSL_CTX_set_alpn_select_cb(context, on_alpn, nullptr);
  SSL_CTX_set_cert_verify_callback(context, on_client_certificate, nullptr);
  SSL_CTX_set_msg_callback(context, on_record);
  return SSL_CTX_set_tlsext_ticket_key_evp_cb(context, on_ticket) == 1 &&
         SSL_CTX_set_num_tickets(context, 1) == 1 && SSL_CTX_set_max_early_data(context, 0) == 1 &&
         SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, ciphers) == 1 &&
         SSL_CTX_set_ciphersuites(context, ciphersuites) == 1 &&
         SSL_CTX_set1_groups_list(context, group_list.data()) == 1;
}

}  // namespace

ssl_ctx_ptr make_context() {
  ssl_ctx_ptr context(SSL_CTX_new_ex(library(), nullptr, TLS_server_method()));
  if (!context || !set_up(context.get())) throw std::bad_alloc();
  return context;
}

}  // namespace bulkhead::tls
