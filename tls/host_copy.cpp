#include "tls/host_copy.hpp"

#include <new>

#include "tls/context.hpp"
#include "tls/error.hpp"

namespace bulkhead::tls {
namespace {

x509_ptr copy(const X509& certificate) {
  x509_ptr made(X509_dup(&certificate));
  if (!made) throw std::bad_alloc();
  return made;
}

void push(x509_stack_ptr& stack, x509_ptr certificate) {
  if (sk_X509_push(stack.get(), certificate.get()) <= 0) throw std::bad_alloc();
  static_cast<void>(certificate.release());
}

struct free_names {
  void operator()(STACK_OF(X509_NAME) * names) const {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
  }
};

// RFC 8446 section 4.2.4: helps a client to choose among its certificates.
bool ask_for_certificate(SSL* session, const material& from) {
  std::unique_ptr<STACK_OF(X509_NAME), free_names> names(sk_X509_NAME_new_null());
  for (const auto& ca : from.client_cas()) {
    auto* name = X509_NAME_dup(X509_get_subject_name(ca.get()));
    if (!names || !name || sk_X509_NAME_push(names.get(), name) <= 0) {
      X509_NAME_free(name);
      return false;
    }
  }
  SSL_set0_CA_list(session, names.release());
  SSL_set_verify(
      session,
      SSL_VERIFY_PEER |
          (from.clients() == client_certificates::required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
      nullptr);
  return true;
}

}  // namespace

host_copy::host_copy(const material& from)
    : certificate_(copy(*from.chain().front())),
      chain_(sk_X509_new_null()),
      key_(EVP_PKEY_dup(from.key().get())) {
  if (!chain_ || !key_) throw std::bad_alloc();
  for (std::size_t i = 1; i < from.chain().size(); ++i) push(chain_, copy(*from.chain()[i]));
}

bool host_copy::install(SSL* session, const material& from) const {
  if (SSL_use_cert_and_key(session, certificate_.get(), key_.get(), chain_.get(), 1) != 1)
    return false;
  const auto& binding = from.binding();
  if (SSL_set_session_id_context(session, binding.data(), static_cast<unsigned>(binding.size())) !=
      1)
    return false;
  return from.clients() == client_certificates::off || ask_for_certificate(session, from);
}

std::string_view host_copy::trial(const material& from) {
  const auto context = make_context();
  const ssl_ptr session(SSL_new(context.get()));
  const host_copy made(from);
  if (session && made.install(session.get(), from)) return {};
  return drain_errors().detail;
}

}  // namespace bulkhead::tls
