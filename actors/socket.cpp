#include "actors/socket.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace bulkhead::actors {

namespace {

struct host_and_port {
  std::string host;
  std::uint16_t port = 0;
};

std::optional<host_and_port> split(std::string_view address) {
  const auto colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto host = address.substr(0, colon);
  const auto digits = address.substr(colon + 1);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || bracketed != (host.find(':') != std::string_view::npos)) return std::nullopt;
  host_and_port parts{std::string(host), 0};
  const auto* end = digits.data() + digits.size();
  const auto [stopped, wrong] = std::from_chars(digits.data(), end, parts.port);
  if (wrong != std::errc{} || stopped != end || digits.empty()) return std::nullopt;
  return parts;
}

struct resolved {
  peer_address address{};
  socklen_t size = 0;
};

resolved resolve(std::string_view text) {
  const auto parts = split(text);
  if (!parts)
    throw std::invalid_argument("'" + std::string(text) +
                                "' is not ADDRESS:PORT (IPv6 in brackets, port 0 to 65535)");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int wrong = ::getaddrinfo(parts->host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  if (wrong != 0)
    throw std::invalid_argument("'" + std::string(text) + "': " + ::gai_strerror(wrong));
  resolved result;
  result.size = found->ai_addrlen;
  if (found->ai_family == AF_INET6)
    result.address.v6 = *reinterpret_cast<sockaddr_in6*>(found->ai_addr);
  else
    result.address.v4 = *reinterpret_cast<sockaddr_in*>(found->ai_addr);
  // The port lies at the same place in both.
  result.address.v4.sin_port = htons(parts->port);
  return result;
}

void set_option(int fd, int level, int name, int value) {
  // Options that can't be set leave a slower socket, not a wrong one.
  ::setsockopt(fd, level, name, &value, sizeof value);
}

}  // namespace

void unique_fd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

std::string to_string(const peer_address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const auto port = ":" + std::to_string(ntohs(address.v4.sin_port));
  if (address.any.sa_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &address.v6.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]" + port;
  }
  ::inet_ntop(AF_INET, &address.v4.sin_addr, text.data(), text.size());
  return text.data() + port;
}

peer_address local_address(int fd) {
  peer_address address{};
  socklen_t size = sizeof address;
  ::getsockname(fd, &address.any, &size);
  return address;
}

std::vector<unique_fd> listen_on(std::string_view text, unsigned count) {
  auto where = resolve(text);
  const auto check = [&](bool done, const char* what) {
    if (!done)
      throw std::system_error(errno, std::generic_category(),
                              "cannot " + std::string(what) + " " + std::string(text));
  };
  std::vector<unique_fd> sockets;
  for (unsigned i = 0; i < count; ++i) {
    unique_fd fd(
        ::socket(where.address.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    check(static_cast<bool>(fd), "make a socket for");
    set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);  // accepted sockets inherit it
    // Accept a connection when its first bytes are there: the session then reads
    // them at once instead of waiting for an event. Measured on a connection a
    // request: half of the CPU time. A silent peer is accepted after this second.
    set_option(fd.get(), IPPROTO_TCP, TCP_DEFER_ACCEPT, 1);
    if (where.address.any.sa_family == AF_INET6) set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
    // The first socket binds without SO_REUSEPORT: with it, a second server of
    // the same user on the same port would quietly take half of the connections.
    if (i > 0) set_option(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
    check(::bind(fd.get(), &where.address.any, where.size) == 0, "bind");
    if (i == 0) {
      set_option(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
      where.address = local_address(fd.get());
    }
    check(::listen(fd.get(), SOMAXCONN) == 0, "listen on");
    sockets.push_back(std::move(fd));
  }
  return sockets;
}

}  // namespace bulkhead::actors
