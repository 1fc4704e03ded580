#include "actors/socket.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
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

// The resolver takes "1" for 0.0.0.1 and "127.1" for 127.0.0.1: such are no names.
bool is_short_number(const std::string& host) {
  in_addr parsed{};
  return host.find_first_not_of("0123456789.") == std::string::npos &&
         ::inet_pton(AF_INET, host.c_str(), &parsed) != 1;
}

std::size_t size_of(const peer_address& address) {
  return address.any.sa_family == AF_INET6 ? sizeof address.v6 : sizeof address.v4;
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
  if (address.any.sa_family == AF_UNIX) return "unix";
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

std::string bound_to(int fd) {
  sockaddr_un address{};
  socklen_t size = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      address.sun_family != AF_UNIX)
    return to_string(local_address(fd));
  const auto held = std::min<std::size_t>(size, sizeof address) - offsetof(sockaddr_un, sun_path);
  std::string path(address.sun_path, held);
  // A name without a file begins with a zero and goes to the end, a path ends with one.
  if (!path.empty() && path.front() == '\0')
    path.front() = '@';
  else
    path.resize(std::min(path.find('\0'), path.size()));
  return "unix:" + path;
}

std::vector<peer_address> resolve(std::string_view text) {
  const auto quoted = "'" + std::string(text) + "'";
  const auto parts = split(text);
  if (!parts || is_short_number(parts->host))
    throw std::invalid_argument(quoted +
                                " is not ADDRESS:PORT (IPv6 in brackets, port 0 to 65535)");
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int wrong = ::getaddrinfo(parts->host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  if (wrong != 0) throw std::invalid_argument(quoted + ": " + ::gai_strerror(wrong));
  std::vector<peer_address> result;
  std::set<std::string> seen;
  for (const auto* each = found; each; each = each->ai_next) {
    if (each->ai_family != AF_INET && each->ai_family != AF_INET6) continue;
    peer_address address{};
    std::memcpy(&address, each->ai_addr, each->ai_addrlen);
    // The port lies at the same place in both.
    address.v4.sin_port = htons(parts->port);
    if (seen.insert(to_string(address)).second) result.push_back(address);
  }
  return result;
}

void set_tcp_options(int fd) {
  int protocol = 0;
  socklen_t size = sizeof protocol;
  ::getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size);
  if (protocol != IPPROTO_TCP) return;
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);  // accepted sockets inherit it
  // Accept a connection when its first bytes are there: the session then reads
  // them at once instead of waiting for an event. Measured on a connection a
  // request: half of the CPU time. A silent peer is accepted after this second.
  set_option(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, 1);
}

std::vector<unique_fd> listen_on(const peer_address& address, unsigned count) {
  auto where = address;
  const auto check = [&](bool done, const char* what) {
    if (!done)
      throw std::system_error(errno, std::generic_category(),
                              "cannot " + std::string(what) + " " + to_string(address));
  };
  std::vector<unique_fd> sockets;
  for (unsigned i = 0; i < count; ++i) {
    unique_fd fd(::socket(where.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    check(static_cast<bool>(fd), "make a socket for");
    set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    set_tcp_options(fd.get());
    if (where.any.sa_family == AF_INET6) set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
    // The first socket binds without SO_REUSEPORT: with it, a second server of
    // the same user on the same port would quietly take half of the connections.
    if (i > 0) set_option(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
    check(::bind(fd.get(), &where.any, static_cast<socklen_t>(size_of(where))) == 0, "bind");
    if (i == 0) {
      set_option(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
      where = local_address(fd.get());
    }
    check(::listen(fd.get(), SOMAXCONN) == 0, "listen on");
    sockets.push_back(std::move(fd));
  }
  return sockets;
}

std::vector<unique_fd> listen_on(std::string_view text, unsigned count) {
  return listen_on(resolve(text).front(), count);
}

std::vector<unique_fd> duplicates(unique_fd first, unsigned count) {
  std::vector<unique_fd> same;
  same.push_back(std::move(first));
  while (same.size() < count) {
    unique_fd next(::fcntl(same.front().get(), F_DUPFD_CLOEXEC, 3));
    if (!next)
      throw std::system_error(errno, std::generic_category(), "cannot duplicate a descriptor");
    same.push_back(std::move(next));
  }
  return same;
}

}  // namespace bulkhead::actors
