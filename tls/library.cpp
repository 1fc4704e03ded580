#include "tls/library.hpp"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tls/groups.hpp"

// OpenSSL's default provider behind a filter. Each SSL_CTX copies the names of all
// groups that its providers know (50, of which 3 are ever used), and each certificate
// that is decoded asks all decoders (39). Leaving out what we never use halves the
// time to build a session's configuration and its size (bench/tls_bench.cpp).
namespace bulkhead::tls {
namespace {

// DER stands for the steps from PEM and from encrypted PKCS #8.
constexpr std::array<std::string_view, 5> decoded = {"EC", "RSA", "RSA-PSS", "ED25519", "DER"};

OSSL_PROVIDER* unfiltered = nullptr;
std::vector<OSSL_ALGORITHM> decoders;

bool is_decoder_used(const OSSL_ALGORITHM& one) {
  const std::string_view names = one.algorithm_names;
  const std::string_view properties = one.property_definition;
  return std::ranges::find(decoded, names.substr(0, names.find(':'))) != decoded.end() &&
         properties.find("msblob") == properties.npos && properties.find("pvk") == properties.npos;
}

void choose_decoders() {
  int no_cache = 0;
  const auto* all = OSSL_PROVIDER_query_operation(unfiltered, OSSL_OP_DECODER, &no_cache);
  for (; all && all->algorithm_names; ++all)
    if (is_decoder_used(*all)) decoders.push_back(*all);
  decoders.push_back({});
}

const OSSL_ALGORITHM* query_operation(void*, int operation, int* no_cache) {
  if (operation != OSSL_OP_DECODER)
    return OSSL_PROVIDER_query_operation(unfiltered, operation, no_cache);
  *no_cache = 0;
  return decoders.data();
}

struct capability_sink {
  OSSL_CALLBACK* call;
  void* argument;
};

int take_group(const OSSL_PARAM group[], void* to) {
  const auto& sink = *static_cast<const capability_sink*>(to);
  const auto* name = OSSL_PARAM_locate_const(group, OSSL_CAPABILITY_TLS_GROUP_NAME);
  const char* text = nullptr;
  if (!name || OSSL_PARAM_get_utf8_string_ptr(name, &text) != 1) return 1;
  return is_group_used(text) ? sink.call(group, sink.argument) : 1;
}

int get_capabilities(void*, const char* which, OSSL_CALLBACK* call, void* argument) {
  capability_sink sink{call, argument};
  return OSSL_PROVIDER_get_capabilities(unfiltered, which, take_group, &sink);
}

int begin_provider(const OSSL_CORE_HANDLE*, const OSSL_DISPATCH*, const OSSL_DISPATCH** functions,
                   void** context) {
  static const OSSL_DISPATCH table[] = {
      {OSSL_FUNC_PROVIDER_QUERY_OPERATION, reinterpret_cast<void (*)()>(query_operation)},
      {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, reinterpret_cast<void (*)()>(get_capabilities)},
      {0, nullptr}};
  *functions = table;
  // Algorithms are the default provider's own and expect its context.
  *context = OSSL_PROVIDER_get0_provider_ctx(unfiltered);
  return 1;
}

OSSL_LIB_CTX* make_library() {
  auto* const behind = OSSL_LIB_CTX_new();
  auto* const library = OSSL_LIB_CTX_new();
  if (behind && library) unfiltered = OSSL_PROVIDER_load(behind, "default");
  if (!unfiltered) throw std::runtime_error("OpenSSL has no default provider");
  choose_decoders();
  if (OSSL_PROVIDER_add_builtin(library, "bulkhead", begin_provider) != 1 ||
      !OSSL_PROVIDER_load(library, "bulkhead"))
    throw std::runtime_error("OpenSSL does not take the room's provider");
  return library;
}

}  // namespace

OSSL_LIB_CTX* library() {
  static OSSL_LIB_CTX* const made = make_library();
  return made;
}

const EVP_CIPHER* ticket_cipher() {
  static EVP_CIPHER* const fetched = EVP_CIPHER_fetch(library(), "AES-256-CBC", nullptr);
  return fetched;
}

}  // namespace bulkhead::tls
