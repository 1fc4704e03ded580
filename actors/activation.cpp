#include "actors/activation.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace bulkhead::actors {

namespace {

constexpr int first_number = 3;
constexpr int sockets_max = 1024;

// Reads the variable and unsets it.
std::optional<std::string> take(const char* name) {
  const char* value = std::getenv(name);
  if (!value) return std::nullopt;
  std::string copy = value;
  ::unsetenv(name);
  return copy;
}

int whole_number(const char* variable, const std::optional<std::string>& text, int max) {
  int number = 0;
  const std::string_view digits = text ? std::string_view(*text) : "";
  const auto* end = digits.data() + digits.size();
  const auto [stopped, wrong] = std::from_chars(digits.data(), end, number);
  if (wrong == std::errc{} && stopped == end && number >= 1 && number <= max) return number;
  throw std::invalid_argument(std::string(variable) +
                              (text ? "='" + *text + "'" : " is not set and") +
                              " is not a whole number from 1 to " + std::to_string(max));
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names{""};
  for (const char c : text) {
    if (c == ':')
      names.emplace_back();
    else
      names.back() += c;
  }
  return names;
}

int option(int fd, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

const char* fault_of(int fd) {
  if (::fcntl(fd, F_GETFD) < 0) return "is not open";
  const int type = option(fd, SO_TYPE);
  if (type < 0) return "is no socket";
  if (type == SOCK_DGRAM) return "is a datagram socket, not a stream socket";
  if (type != SOCK_STREAM) return "is not a stream socket";
  const int family = option(fd, SO_DOMAIN);
  if (family != AF_INET && family != AF_INET6 && family != AF_UNIX)
    return "is neither of IPv4 nor of IPv6 nor a unix socket";
  return option(fd, SO_ACCEPTCONN) == 1 ? nullptr : "is not listening";
}

void prepare(int fd) {
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

}  // namespace

std::vector<activated_socket> take_activated_sockets() {
  const auto pid = take("LISTEN_PID");
  const auto count_text = take("LISTEN_FDS");
  const auto names_text = take("LISTEN_FDNAMES");
  if (!pid || whole_number("LISTEN_PID", pid, INT32_MAX) != ::getpid()) return {};
  const int count = whole_number("LISTEN_FDS", count_text, sockets_max);
  std::vector<std::string> names(static_cast<std::size_t>(count));
  if (names_text) names = split_names(*names_text);
  if (names.size() != static_cast<std::size_t>(count))
    throw std::invalid_argument("LISTEN_FDNAMES='" + *names_text + "' has " +
                                std::to_string(names.size()) +
                                " names for LISTEN_FDS=" + std::to_string(count));
  // Looked at before any is taken: what is no listener belongs to someone else.
  for (int fd = first_number; fd < first_number + count; ++fd)
    if (const auto* fault = fault_of(fd))
      throw std::invalid_argument("LISTEN_FDS: descriptor " + std::to_string(fd) + " " + fault);
  std::vector<activated_socket> taken;
  for (auto& name : names) {
    const int fd = first_number + static_cast<int>(taken.size());
    prepare(fd);
    taken.push_back({unique_fd(fd), fd, std::move(name)});
  }
  return taken;
}

}  // namespace bulkhead::actors
