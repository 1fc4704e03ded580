#include "actors/client_wire.hpp"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "protocol/authority.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::actors {

namespace {

constexpr std::size_t received_bytes_max = 64 * 1024;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

// RFC 9110 section 4.2; the default ports are those of sections 4.2.1 and 4.2.2.
origin parse_origin(std::string_view text) {
  const auto refuse = [text] {
    throw std::invalid_argument("'" + std::string(text) + "' is not http://HOST or https://HOST");
  };
  origin result;
  const auto scheme_end = text.find("://");
  if (scheme_end == text.npos) refuse();
  const auto scheme = text.substr(0, scheme_end);
  result.secure = protocol::same_word(scheme, "https");
  if (!result.secure && !protocol::same_word(scheme, "http")) refuse();
  auto authority = text.substr(scheme_end + 3);
  if (authority.ends_with('/')) authority.remove_suffix(1);
  if (!protocol::is_host_and_port(authority)) refuse();
  if (authority.ends_with(':')) authority.remove_suffix(1);
  const auto colon = authority.find(':', authority.front() == '[' ? authority.find(']') : 0);
  auto host = authority.substr(0, colon);
  result.host_port = authority;
  if (colon == authority.npos) result.host_port += result.secure ? ":443" : ":80";
  if (host.front() == '[') host = host.substr(1, host.size() - 2);
  result.text = std::string(result.secure ? "https://" : "http://").append(authority);
  result.authority = authority;
  result.host = host;
  return result;
}

client_wire::client_wire(const origin& to, SSL_CTX* context, time_point until) : to_(to) {
  connect(until);
  if (!context) return;
  engine_.emplace(*context, to.host);
  shake_hands(until);
}

client_wire::~client_wire() {
  if (!engine_ || !encrypted_.empty() || refuses_output_) return;
  engine_->close(encrypted_);
  send_some(encrypted_);
}

// One address after the other, each with its share of the time.
void client_wire::connect(time_point until) {
  std::string wrong = "no address";
  const auto addresses = [&] {
    try {
      return resolve(to_.host_port);
    } catch (const std::invalid_argument& why) {
      throw client_error(client_failure::resolve, to_.text, why.what());
    }
  }();
  auto left = static_cast<long>(addresses.size());
  for (const auto& address : addresses) {
    const auto now = std::chrono::steady_clock::now();
    const int error = connect_to(address, now + (until - now) / left--);
    if (error == 0) return;
    wrong = to_string(address) + ": " + text_of(error);
  }
  throw client_error(client_failure::connect, to_.text, "cannot connect to " + wrong);
}

int client_wire::connect_to(const peer_address& address, time_point until) {
  const auto family = address.any.sa_family;
  fd_.reset(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd_) return errno;
  const int on = 1;
  ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto size = family == AF_INET6 ? sizeof address.v6 : sizeof address.v4;
  if (::connect(fd_.get(), &address.any, static_cast<socklen_t>(size)) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!wait(POLLOUT, until)) return ETIMEDOUT;
  int error = 0;
  socklen_t error_size = sizeof error;
  ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &error_size);
  return error;
}

void client_wire::shake_hands(time_point until) {
  std::string none;
  std::string early;  // a server does not speak first
  if (engine_->handshake({}, encrypted_).what == tls::client_engine::status::failed) fail_tls();
  while (!engine_->is_open()) {
    if (!move(none, early, until))
      throw client_error(client_failure::connect, to_.text, "no TLS handshake in time");
    if (end_ != end::none && !engine_->is_open())
      throw client_error(client_failure::tls, to_.text, "closed during the TLS handshake");
  }
}

bool client_wire::move(std::string& out, std::string& in, time_point until) {
  if (engine_ && engine_->is_open() && encrypted_.empty() && !out.empty()) {
    if (!engine_->write(out, encrypted_)) fail_tls();
    out.clear();
  }
  auto& sendable = engine_ ? encrypted_ : out;
  const bool sends = !sendable.empty() && !refuses_output_;
  if (!wait(sends ? POLLIN | POLLOUT : POLLIN, until)) return false;
  if (sends) send_some(sendable);
  receive_some(in);
  return true;
}

bool client_wire::is_quiet() try {
  std::string in;
  receive_some(in);
  return end_ == end::none && in.empty();
} catch (const client_error&) {  // an alert
  return false;
}

// The time is looked at first: a server that always has another octet can't hold it up.
bool client_wire::wait(short events, time_point until) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd one{fd_.get(), events, 0};
    const auto at_most = std::min<std::chrono::milliseconds::rep>(left.count(), 60'000);
    if (::poll(&one, 1, static_cast<int>(at_most)) > 0) return true;
  }
}

void client_wire::send_some(std::string& bytes) {
  const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) {
    bytes.erase(0, static_cast<std::size_t>(sent));
  } else if (errno != EAGAIN && errno != EINTR) {
    refuses_output_ = true;
  }
}

void client_wire::receive_some(std::string& in) {
  std::array<char, received_bytes_max> room;
  const auto got = ::recv(fd_.get(), room.data(), room.size(), MSG_DONTWAIT);
  if (got < 0) {
    if (errno != EAGAIN && errno != EINTR) end_ = end::cut;
    return;
  }
  const std::string_view received(room.data(), static_cast<std::size_t>(got));
  if (!engine_) {
    if (received.empty()) end_ = end::closed;
    in.append(received);
  } else if (!received.empty()) {
    decrypt(received, in);
  } else if (end_ == end::none) {
    end_ = end::cut;
  }
}

void client_wire::decrypt(std::string_view received, std::string& in) {
  using status = tls::client_engine::status;
  if (!engine_->is_open()) {
    const auto shaken = engine_->handshake(received, encrypted_);
    if (shaken.what == status::failed) fail_tls();
    received.remove_prefix(shaken.consumed);
    if (shaken.what != status::done) return;
  }
  const auto read = engine_->read(received, in, encrypted_);
  if (read.what == status::failed) fail_tls();
  if (read.what == status::closed) end_ = end::closed;
}

// With the alert, if it can be sent at once, so that the server knows it too.
void client_wire::fail_tls() {
  if (!encrypted_.empty()) send_some(encrypted_);
  const bool of_server = engine_->refused_certificate();
  throw client_error(of_server ? client_failure::certificate : client_failure::tls, to_.text,
                     (of_server ? "certificate refused: " : "TLS: ") + engine_->why());
}

}  // namespace bulkhead::actors
