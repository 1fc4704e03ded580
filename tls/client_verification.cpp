// Client certificates, verified against copies of those authorities that can matter.
#include <openssl/x509_vfy.h>

#include <cstddef>
#include <vector>

#include "tls/callbacks.hpp"
#include "tls/session_state.hpp"

namespace bulkhead::tls {
namespace {

class trusted_issuers {
 public:
  explicit trusted_issuers(const std::vector<x509_ptr>& all)
      : all_(all), is_chosen_(all.size()), chosen_(sk_X509_new_null()) {}

  // Copies the issuers of `certificate`, and theirs. A store of all authorities for
  // each session would cost a copy of each; a chain needs one or two.
  bool add_issuers_of(const X509& certificate) {
    const auto* issuer = X509_get_issuer_name(&certificate);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (is_chosen_[i] || X509_NAME_cmp(X509_get_subject_name(all_[i].get()), issuer) != 0)
        continue;
      is_chosen_[i] = true;
      x509_ptr copy(X509_dup(all_[i].get()));
      if (!chosen_ || !copy || sk_X509_push(chosen_.get(), copy.get()) <= 0) return false;
      static_cast<void>(copy.release());
      if (!add_issuers_of(*all_[i])) return false;
    }
    return true;
  }

  STACK_OF(X509) * stack() const { return chosen_.get(); }

 private:
  const std::vector<x509_ptr>& all_;
  std::vector<bool> is_chosen_;
  x509_stack_ptr chosen_;
};

}  // namespace

int on_client_certificate(X509_STORE_CTX* verification, void*) try {
  const auto* session = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()));
  trusted_issuers trusted(session_state::of(session).host->shown->client_cas());
  const auto* sent = X509_STORE_CTX_get0_untrusted(verification);
  bool complete = trusted.add_issuers_of(*X509_STORE_CTX_get0_cert(verification));
  for (int i = 0; complete && i < sk_X509_num(sent); ++i)
    complete = trusted.add_issuers_of(*sk_X509_value(sent, i));
  if (!complete) {
    X509_STORE_CTX_set_error(verification, X509_V_ERR_OUT_OF_MEM);
    return 0;
  }
  X509_STORE_CTX_set0_trusted_stack(verification, trusted.stack());
  return X509_verify_cert(verification);
} catch (const std::bad_alloc&) {
  X509_STORE_CTX_set_error(verification, X509_V_ERR_OUT_OF_MEM);
  return 0;
}

}  // namespace bulkhead::tls
