#include "tls/engine.hpp"

#include <openssl/x509_vfy.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "tls/callbacks.hpp"
#include "tls/engine_call.hpp"
#include "tls/first_bytes.hpp"
#include "tls/record.hpp"

namespace bulkhead::tls {
namespace {

// A peer that sends nothing but key updates, refused renegotiations and alerts makes
// us work and answer for nothing. Honest peers send one in gigabytes.
constexpr unsigned control_records_max = 64;

constexpr std::size_t held_bytes_handshaking = 64 * 1024;
constexpr std::size_t held_bytes_open = 20 * 1024;

}  // namespace

engine::engine(std::shared_ptr<configurations> from) {
  state_.pool = std::move(from);
}

engine::~engine() = default;

engine::result engine::handshake(std::string_view input, std::string& out) {
  if (state_.open) return {status::done};
  if (why_) return {status::failed};
  const engine_call now(wire_, input, out);
  if (!ssl_)
    if (const auto begun = begin(input); begun.what != status::done) return begun;
  const int returned = SSL_accept(ssl_.get());
  if (returned == 1) finish_handshake();
  const result so_far{status::done, now.consumed()};
  return returned == 1 ? so_far : stop(returned, so_far);
}

engine::result engine::begin(std::string_view input) {
  switch (look_at(input)) {
    case first_bytes::incomplete:
      return {status::need_input};
    case first_bytes::like_http:
      return {status::plain_http};
    case first_bytes::neither:
      return fail({failure::not_tls, {}}, {status::failed});
    case first_bytes::handshake:
      break;
  }
  return build() ? result{status::done} : fail({failure::resources, {}}, {status::failed});
}

bool engine::build() try {
  context_ = state_.pool->context();
  ssl_.reset(SSL_new(context_.get()));
  auto bio = make_buffer_bio(wire_);
  if (!ssl_ || !bio || SSL_set_app_data(ssl_.get(), &state_) != 1) return false;
  auto* const both = bio.release();
  SSL_set_bio(ssl_.get(), both, both);
  SSL_set_accept_state(ssl_.get());
  return true;
} catch (const std::exception&) {
  return false;
}

// Neither key nor certificate is needed any more: they go on to the next handshake,
// and nothing that happens to this session from now on can reach them.
void engine::finish_handshake() {
  state_.open = true;
  state_.control_records = 0;
  SSL_certs_clear(ssl_.get());
  state_.pool->give_back(*state_.host, std::move(state_.copy));
}

engine::result engine::read(std::string_view input, std::span<char> room, std::string& out) {
  if (!state_.open) return {why_ ? status::failed : status::need_input};
  if (peer_has_closed_) return {status::closed, input.size()};
  const engine_call now(wire_, input, out);
  std::size_t produced = 0;
  while (produced < room.size()) {
    std::size_t got = 0;
    const int returned =
        SSL_read_ex(ssl_.get(), room.data() + produced, room.size() - produced, &got);
    if (returned != 1) return stop(returned, {status::failed, now.consumed(), produced});
    produced += got;
    state_.control_records = 0;
  }
  return {status::done, now.consumed(), produced};
}

engine::result engine::write(std::string_view content, std::string& out,
                             std::size_t out_bytes_max) {
  if (!state_.open || has_closed_) return {status::failed};
  const engine_call now(wire_, {}, out);
  std::size_t taken = 0;
  while (taken < content.size() && out.size() < out_bytes_max) {
    const auto piece = content.substr(taken, record_bytes_max);
    std::size_t put = 0;
    const int returned = SSL_write_ex(ssl_.get(), piece.data(), piece.size(), &put);
    if (returned != 1) return stop(returned, {status::failed, taken});
    taken += put;
    state_.control_records = 0;
  }
  return {status::done, taken};
}

void engine::close(std::string& out) {
  if (!state_.open || has_closed_) return;
  has_closed_ = true;
  const engine_call now(wire_, {}, out);
  SSL_shutdown(ssl_.get());
}

// OpenSSL did not do what was asked for.
engine::result engine::stop(int returned, result so_far) {
  if (wire_.overran_memory) return fail({failure::resources, {}}, so_far);
  if (state_.control_records > control_records_max)
    return fail({failure::control_flood, {}}, so_far);
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:  // also of a write: what it waits for comes by reading
      so_far.what = status::need_input;
      return so_far;
    case SSL_ERROR_ZERO_RETURN:
      peer_has_closed_ = true;
      so_far.what = status::closed;
      return so_far;
    default:
      break;
  }
  auto why = drain_errors();
  const auto verified = SSL_get_verify_result(ssl_.get());
  if (state_.refused != failure::none)
    why = {state_.refused, {}};
  else if (why.what == failure::client_certificate && verified != X509_V_OK)
    why.detail = X509_verify_cert_error_string(verified);
  return fail(why, so_far);
}

engine::result engine::fail(error why, result so_far) {
  why_ = why;
  drop();
  so_far.what = status::failed;
  return so_far;
}

// At once, not when the session is gone: it may linger until its alert is sent.
void engine::drop() noexcept {
  state_.open = false;
  ssl_.reset();
  state_.copy.reset();
  context_.reset();
}

void engine::retire() noexcept {
  if (!state_.open) return;
  ssl_.reset();  // it refers to the context
  state_.pool->give_back(std::move(context_));
  drop();
}

std::size_t engine::held_bytes() const {
  if (!ssl_) return 0;
  return state_.open ? held_bytes_open : held_bytes_handshaking;
}

void on_record(int written, int, int type, const void* bytes, std::size_t size, SSL* session,
               void*) {
  if (written || size == 0 || (type != SSL3_RT_HEADER && type != SSL3_RT_INNER_CONTENT_TYPE))
    return;
  auto& state = session_state::of(session);
  if (state.open && *static_cast<const unsigned char*>(bytes) != SSL3_RT_APPLICATION_DATA)
    ++state.control_records;
}

}  // namespace bulkhead::tls
