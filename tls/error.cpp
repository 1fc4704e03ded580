#include "tls/error.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace bulkhead::tls {
namespace {

failure failure_of(unsigned long code) {
  if (ERR_GET_LIB(code) != ERR_LIB_SSL)
    return code == 0 || ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE ? failure::resources
                                                                     : failure::protocol;
  const int reason = ERR_GET_REASON(code);
  switch (reason) {
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_UNKNOWN_PROTOCOL:
      return failure::unsupported_version;
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
    case SSL_R_NO_SHARED_GROUPS:
      return failure::no_shared_cipher;
    case SSL_R_NO_APPLICATION_PROTOCOL:
      return failure::application_protocol;
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return failure::client_certificate;
    case ERR_R_MALLOC_FAILURE:
    case ERR_R_INTERNAL_ERROR:
      return failure::resources;
    default:
      // OpenSSL reports an alert of the peer as this offset and the alert's number.
      return reason >= SSL_AD_REASON_OFFSET && reason < SSL_AD_REASON_OFFSET + 256
                 ? failure::peer_alert
                 : failure::protocol;
  }
}

}  // namespace

std::string_view text_of(failure what) {
  // clang-format off
  switch (what) {
    case failure::none: return "no failure";
    case failure::not_tls: return "not TLS";
    case failure::protocol: return "the peer breaks the protocol";
    case failure::unsupported_version: return "no TLS version in common";
    case failure::no_shared_cipher: return "no cipher in common";
    case failure::unknown_server_name: return "unknown server name";
    case failure::application_protocol: return "no application protocol in common";
    case failure::client_certificate: return "client certificate refused";
    case failure::peer_alert: return "refused by the peer";
    case failure::control_flood: return "too many records without data";
    case failure::resources: return "out of resources";
  }
  // clang-format on
  return {};
}

// What a failing signature or decoding left in the queue comes before what TLS made of it.
error drain_errors() {
  auto code = ERR_get_error();
  while (const auto next = ERR_GET_LIB(code) == ERR_LIB_SSL ? 0 : ERR_get_error()) code = next;
  const char* text = ERR_reason_error_string(code);
  ERR_clear_error();
  return {failure_of(code), text ? std::string_view(text) : std::string_view()};
}

void clear_errors() {
  ERR_clear_error();
}

}  // namespace bulkhead::tls
