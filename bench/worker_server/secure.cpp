#include "bench/worker_server/secure.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "tls/context.hpp"
#include "tls/engine_call.hpp"
#include "tls/error.hpp"
#include "tls/virtual_hosts.hpp"

namespace bulkhead::worker {
namespace {

constexpr std::size_t record_bytes_max = 16 * 1024;  // RFC 8446 section 5.1

std::shared_ptr<tls::configurations> load(const std::string& certificate, const std::string& key) {
  auto loaded = tls::material::load({.certificate_file = certificate, .key_file = key},
                                    std::chrono::system_clock::now());
  if (!loaded.value) throw std::invalid_argument(loaded.error);
  return std::make_shared<tls::configurations>(std::make_shared<const tls::virtual_hosts>(
      std::vector{std::shared_ptr<const tls::material>(loaded.value)},
      tls::ticket_keys::generate()));
}

}  // namespace

shared_tls::shared_tls(const std::string& certificate_file, const std::string& key_file)
    : pool_(load(certificate_file, key_file)),
      shown_(std::make_unique<tls::host_copy>(*pool_->hosts().all().front().shown)),
      context_(tls::make_context()) {}

tls::ssl_ptr shared_tls::make_session(tls::session_state& state) const {
  const auto& host = pool_->hosts().all().front();
  state.pool = pool_;
  state.host = &host;
  tls::ssl_ptr session(SSL_new(context_.get()));
  if (!session || SSL_set_app_data(session.get(), &state) != 1 ||
      !shown_->install(session.get(), *host.shown))
    throw std::bad_alloc();
  return session;
}

secure_connection::result secure_connection::read(std::span<char> room) {
  const tls::engine_call now(wire_, input_, out_);
  std::size_t got = 0;
  int returned = state_.open ? 1 : SSL_accept(ssl_.get());
  if (returned == 1) {
    state_.open = true;
    returned = SSL_read_ex(ssl_.get(), room.data(), room.size(), &got);
  }
  input_.remove_prefix(now.consumed());
  return returned == 1 ? result{status::done, got} : judge(returned);
}

secure_connection::result secure_connection::judge(int returned) {
  switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_WANT_READ:
      return {status::need_input};
    case SSL_ERROR_ZERO_RETURN:
      return {status::ended};
    default:
      return {status::failed};
  }
}

void secure_connection::write(std::string_view content) {
  const tls::engine_call now(wire_, {}, out_);
  while (!content.empty()) {
    std::size_t put = 0;
    const auto piece = content.substr(0, record_bytes_max);
    if (SSL_write_ex(ssl_.get(), piece.data(), piece.size(), &put) != 1) return;
    content.remove_prefix(put);
  }
}

void secure_connection::close() {
  const tls::engine_call now(wire_, {}, out_);
  if (state_.open) SSL_shutdown(ssl_.get());
}

}  // namespace bulkhead::worker
