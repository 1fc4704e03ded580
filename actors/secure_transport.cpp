// transport, with TLS between the session and the socket.
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "actors/transport.hpp"

namespace bulkhead::actors {

namespace {

// Encrypted and not yet sent: several records, so that a write is worth its call.
constexpr std::size_t unsent_bytes_high = 64 * 1024;

// Where a thread receives encrypted bytes: what the engine takes at once needs no buffer
// of the session's. One record and its overhead.
thread_local std::array<char, 17 * 1024> receive_room;

}  // namespace

transport::received transport::receive_secure(std::span<char> room) {
  for (std::string_view fresh;;) {
    if (is_handshaking()) {
      const auto how = go_on_with_handshake(std::exchange(fresh, {}));
      if (how != result::done && how != result::blocked) return {how};
      if (send_unsent() == result::failed) return {result::failed};
      if (how == result::done) continue;
    } else {
      const auto got = decrypt(std::exchange(fresh, {}), room);
      if (send_unsent() == result::failed) return {result::failed};
      if (got.outcome != result::blocked) return got;
    }
    if (!may_receive_) return {result::blocked};
    const auto got = receive_plain(receive_room);
    if (got.outcome != result::done) return got;
    fresh = {receive_room.data(), got.bytes};
  }
}

transport::result transport::go_on_with_handshake(std::string_view fresh) {
  const auto input = secure_->with(fresh);
  const auto step = secure_->engine().handshake(input, secure_->output());
  secure_->keep_untaken(input, step.consumed);
  switch (step.what) {
    case tls::engine::status::done:
      return result::done;
    case tls::engine::status::need_input:
      return result::blocked;
    case tls::engine::status::plain_http:
      return result::plain_http;
    case tls::engine::status::closed:
    case tls::engine::status::failed:
      break;
  }
  return result::bad_tls;
}

// `blocked`: more encrypted bytes are needed.
transport::received transport::decrypt(std::string_view fresh, std::span<char> room) {
  const auto input = secure_->with(fresh);
  const auto step = secure_->engine().read(input, room, secure_->output());
  secure_->keep_untaken(input, step.consumed);
  holds_input_ = step.what == tls::engine::status::done;
  if (step.produced > 0) {
    // The end, or the fault, behind these bytes shows again with the next call.
    holds_input_ = step.what != tls::engine::status::need_input;
    return {result::done, step.produced};
  }
  switch (step.what) {
    case tls::engine::status::closed:
      may_receive_ = false;
      return {result::ended};
    case tls::engine::status::failed:
      return {result::failed};
    default:
      return {result::blocked};
  }
}

transport::result transport::send_unsent() {
  if (!secure_) return result::done;
  while (!secure_->unsent().empty()) {
    const auto bytes = secure_->unsent();
    const auto put = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put >= 0)
      secure_->advance(static_cast<std::size_t>(put));
    else if (errno == EAGAIN)
      return result::blocked;
    else if (errno != EINTR)
      return result::failed;
  }
  return result::done;
}

transport::result transport::send_secure(output_queue& out) {
  for (;;) {
    if (const auto sent = send_unsent(); sent != result::done) return sent;
    if (out.memory_size() == 0) return out.empty() ? result::done : result::unsupported;
    std::size_t taken = 0;
    for (const auto& part : out.unsent()) {
      const auto step =
          secure_->engine().write({static_cast<const char*>(part.iov_base), part.iov_len},
                                  secure_->output(), unsent_bytes_high);
      if (step.what == tls::engine::status::failed) return result::failed;
      taken += step.consumed;
      if (step.consumed < part.iov_len) break;
    }
    out.advance(taken);
  }
}

void transport::drop_security() {
  if (!secure_) return;
  send_unsent();
  secure_.reset();
}

void transport::retire() {
  if (secure_ && secure_->engine().is_open()) secure_->engine().retire();
}

// As far as the socket takes it.
void transport::say_close() {
  if (!secure_ || !secure_->engine().is_open()) return;
  secure_->engine().close(secure_->output());
  send_unsent();
}

}  // namespace bulkhead::actors
