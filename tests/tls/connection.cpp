#include "tests/tls/connection.hpp"

#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace bulkhead::tests {

using namespace tls;

ssl_ctx_ptr client_context(const client_wish& wish, OSSL_LIB_CTX* library) {
  ssl_ctx_ptr context(SSL_CTX_new_ex(library, nullptr, TLS_client_method()));
  if (wish.version) {
    if (wish.version < TLS1_2_VERSION) SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), wish.version);
    SSL_CTX_set_max_proto_version(context.get(), wish.version);
  }
  if (!wish.takes_tickets) SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  if (!wish.ciphers.empty()) SSL_CTX_set_cipher_list(context.get(), wish.ciphers.c_str());
  if (!wish.protocols.empty())
    SSL_CTX_set_alpn_protos(context.get(),
                            reinterpret_cast<const unsigned char*>(wish.protocols.data()),
                            static_cast<unsigned>(wish.protocols.size()));
  if (wish.certificate)
    SSL_CTX_use_cert_and_key(context.get(), wish.certificate->certificate.get(),
                             wish.certificate->key.get(), nullptr, 1);
  return context;
}

client::client(const client_wish& wish)
    : context_(wish.context ? nullptr : client_context(wish)),
      ssl_(SSL_new(wish.context ? wish.context : context_.get())) {
  SSL_set_connect_state(ssl_.get());
  SSL_set_bio(ssl_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  if (!wish.server_name.empty()) SSL_set_tlsext_host_name(ssl_.get(), wish.server_name.c_str());
  if (wish.resumed) SSL_set_session(ssl_.get(), wish.resumed);
  ERR_clear_error();
}

void client::give(std::string_view from_server) {
  if (!from_server.empty())
    BIO_write(SSL_get_rbio(ssl_.get()), from_server.data(), static_cast<int>(from_server.size()));
}

void client::take(std::string& to_server) {
  std::array<char, 4096> piece;
  int got = 0;
  while ((got = BIO_read(SSL_get_wbio(ssl_.get()), piece.data(), piece.size())) > 0)
    to_server.append(piece.data(), static_cast<std::size_t>(got));
  ERR_clear_error();
}

void client::note(int returned) {
  const int why = SSL_get_error(ssl_.get(), returned);
  if (why == SSL_ERROR_SSL) {
    failed_ = true;
    const int reason = ERR_GET_REASON(ERR_peek_error());
    if (reason >= SSL_AD_REASON_OFFSET) alert_ = reason - SSL_AD_REASON_OFFSET;
  }
}

bool client::handshake(std::string_view from_server, std::string& to_server) {
  give(from_server);
  const int returned = SSL_do_handshake(ssl_.get());
  if (returned != 1) note(returned);
  take(to_server);
  return returned == 1;
}

std::string client::read(std::string_view from_server, std::string& to_server) {
  give(from_server);
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const int got = SSL_read(ssl_.get(), piece.data(), piece.size());
    if (got <= 0) {
      note(got);
      break;
    }
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  take(to_server);
  return text;
}

void client::write(std::string_view text, std::string& to_server) {
  if (SSL_write(ssl_.get(), text.data(), static_cast<int>(text.size())) <= 0)
    throw std::runtime_error("the client cannot write");
  take(to_server);
}

void client::key_update(std::string& to_server) {
  SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(ssl_.get());
  take(to_server);
}

void client::renegotiate(std::string& to_server) {
  SSL_renegotiate(ssl_.get());
  SSL_do_handshake(ssl_.get());
  take(to_server);
}

void client::close(std::string& to_server) {
  SSL_shutdown(ssl_.get());
  take(to_server);
}

connection::connection(std::shared_ptr<configurations> from, const client_wish& wish)
    : server(std::make_unique<engine>(std::move(from))), peer(wish) {}

void connection::serve(std::size_t visible_bytes) {
  for (;;) {
    const auto input = std::string_view(to_server).substr(0, visible_bytes);
    engine::result got{};
    std::string room(room_bytes, ' ');
    const bool was_open = server->is_open();
    if (was_open)
      got = server->read(input, room, to_client);
    else
      got = server->handshake(input, to_client);
    if (ERR_peek_error() != 0) throw std::logic_error("the engine leaves an error in the queue");
    at_server.append(room, 0, got.produced);
    to_server.erase(0, got.consumed);
    if (visible_bytes != all) visible_bytes -= std::min(visible_bytes, got.consumed);
    last = got.what;
    if (last != engine::status::done) return;
  }
}

void connection::answer() {
  const auto from_server = std::exchange(to_client, {});
  if (!peer.is_open())
    peer.handshake(from_server, to_server);
  else
    at_client += peer.read(from_server, to_server);
}

void connection::exchange(std::size_t step_bytes) {
  answer();
  for (bool moves = true; moves;) {
    moves = false;
    // Whatever the server does not consume stays, and one more step is shown to it.
    for (std::size_t shown = 0; shown < to_server.size();) {
      shown = step_bytes == all ? to_server.size() : std::min(shown + step_bytes, to_server.size());
      const auto before = to_server.size();
      serve(shown);
      const auto consumed = before - to_server.size();
      shown -= std::min(shown, consumed);
      if (consumed > 0) moves = true;
      if (last == engine::status::failed || last == engine::status::plain_http) break;
    }
    if (!to_client.empty()) {
      moves = true;
      answer();
    }
    if (last == engine::status::failed || last == engine::status::plain_http) return;
  }
  // What came with the end of the client's handshake.
  if (peer.is_open() && !peer.is_closed()) at_client += peer.read({}, to_server);
}

std::shared_ptr<configurations> configurations_of(
    std::vector<std::shared_ptr<const material>> materials, unknown_names rule) {
  return std::make_shared<configurations>(
      std::make_shared<const virtual_hosts>(std::move(materials), ticket_keys::generate(), rule));
}

}  // namespace bulkhead::tests
