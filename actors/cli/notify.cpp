#include "actors/cli/notify.hpp"

#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "actors/socket.hpp"

namespace bulkhead::cli {
namespace {

bool send_to(std::string_view path, std::string_view state) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    errno = EINVAL;
    return false;
  }
  path.copy(address.sun_path, path.size());
  if (path.front() == '@') address.sun_path[0] = '\0';  // abstract: a name without a file
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const actors::unique_fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return socket && ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
                            reinterpret_cast<const sockaddr*>(&address), size) >= 0;
}

}  // namespace

void notify(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  if (!path || send_to(path, state)) return;
  static bool said = false;
  if (!said) spdlog::warn("NOTIFY_SOCKET '{}': {}", path, std::strerror(errno));
  said = true;
}

}  // namespace bulkhead::cli
