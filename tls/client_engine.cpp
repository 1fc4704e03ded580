#include "tls/client_engine.hpp"

#include <openssl/x509_vfy.h>

#include <array>
#include <new>
#include <stdexcept>

#include "tls/engine_call.hpp"
#include "tls/error.hpp"
#include "tls/library.hpp"
#include "tls/pem.hpp"
#include "tls/record.hpp"

namespace bulkhead::tls {
namespace {

void require(bool done, const std::string& what) {
  if (done) return;
  throw std::runtime_error(what + ": " + std::string(drain_errors().detail));
}

// What the user names is trusted, whether it is an authority, one below it, or the server's own.
void trust(SSL_CTX* context, const client_files& files) {
  if (files.ca_file.empty())
    return require(SSL_CTX_set_default_verify_paths(context) == 1, "the system's certificates");
  const auto read = read_certificates(files.ca_file);
  if (!read.error.empty()) throw std::runtime_error(read.error);
  auto* const store = SSL_CTX_get_cert_store(context);
  for (const auto& each : read.certificates)
    require(X509_STORE_add_cert(store, each.get()) == 1, files.ca_file);
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
}

void present(SSL_CTX* context, const client_files& files) {
  if (files.certificate_file.empty()) return;
  const auto chain = read_certificates(files.certificate_file);
  if (!chain.error.empty()) throw std::runtime_error(chain.error);
  const auto key = read_private_key(files.key_file, files.password_file);
  if (!key.error.empty()) throw std::runtime_error(key.error);
  require(SSL_CTX_use_certificate(context, chain.certificates.front().get()) == 1,
          files.certificate_file);
  for (std::size_t i = 1; i < chain.certificates.size(); ++i)
    require(SSL_CTX_add1_chain_cert(context, chain.certificates[i].get()) == 1,
            files.certificate_file);
  require(SSL_CTX_use_PrivateKey(context, key.key.get()) == 1, files.key_file);
}

}  // namespace

ssl_ctx_ptr make_client_context(const client_files& files) {
  clear_errors();
  ssl_ctx_ptr context(SSL_CTX_new_ex(library(), nullptr, TLS_client_method()));
  if (!context) throw std::bad_alloc();
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(context.get(), files.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  require(SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1, "TLS 1.2");
  constexpr std::array<unsigned char, 9> http11 = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  require(SSL_CTX_set_alpn_protos(context.get(), http11.data(), http11.size()) == 0, "ALPN");
  if (files.verify) trust(context.get(), files);
  present(context.get(), files);
  return context;
}

client_engine::client_engine(SSL_CTX& context, const std::string& host) : ssl_(SSL_new(&context)) {
  auto bio = make_buffer_bio(wire_);
  if (!ssl_ || !bio) throw std::bad_alloc();
  auto* const both = bio.release();
  SSL_set_bio(ssl_.get(), both, both);
  SSL_set_connect_state(ssl_.get());
  auto* const wanted = SSL_get0_param(ssl_.get());
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) != 1 &&
      (SSL_set1_host(ssl_.get(), host.c_str()) != 1 ||
       SSL_set_tlsext_host_name(ssl_.get(), host.c_str()) != 1))
    throw std::bad_alloc();
  clear_errors();
}

client_engine::result client_engine::handshake(std::string_view input, std::string& out) {
  const engine_call now(wire_, input, out);
  const int returned = SSL_connect(ssl_.get());
  if (returned != 1) return stop(returned, now.consumed());
  open_ = true;
  return {status::done, now.consumed()};
}

client_engine::result client_engine::read(std::string_view input, std::string& content,
                                          std::string& out) {
  const engine_call now(wire_, input, out);
  std::array<char, record_bytes_max> record;
  for (;;) {
    std::size_t got = 0;
    const int returned = SSL_read_ex(ssl_.get(), record.data(), record.size(), &got);
    if (returned != 1) return stop(returned, now.consumed());
    content.append(record.data(), got);
  }
}

bool client_engine::write(std::string_view content, std::string& out) {
  if (content.empty()) return true;
  const engine_call now(wire_, {}, out);
  std::size_t put = 0;
  const int returned = SSL_write_ex(ssl_.get(), content.data(), content.size(), &put);
  if (returned != 1) stop(returned, 0);
  return returned == 1;
}

void client_engine::close(std::string& out) {
  if (!open_) return;
  const engine_call now(wire_, {}, out);
  SSL_shutdown(ssl_.get());
}

client_engine::result client_engine::stop(int returned, std::size_t consumed) {
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return {status::need_input, consumed};
    case SSL_ERROR_ZERO_RETURN:
      return {status::closed, consumed};
    default:
      break;
  }
  open_ = false;
  const auto why = drain_errors();
  const auto verified = SSL_get_verify_result(ssl_.get());
  refused_certificate_ =
      SSL_get_verify_mode(ssl_.get()) != SSL_VERIFY_NONE && verified != X509_V_OK;
  if (refused_certificate_) {
    why_ = X509_verify_cert_error_string(verified);
  } else {
    why_ = text_of(why.what);
    if (!why.detail.empty()) why_.append(" (").append(why.detail).append(")");
  }
  return {status::failed, consumed};
}

}  // namespace bulkhead::tls
