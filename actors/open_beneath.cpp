#include "actors/open_beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace bulkhead::actors {

namespace {

// O_NOCTTY: a terminal that somebody has linked to does not become ours.
constexpr int how_to_open = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

int open_by_kernel(int folder, const char* path) {
  open_how how{};
  how.flags = how_to_open;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: something was renamed meanwhile, and the kernel is not sure.
  constexpr int attempts = 8;
  for (int i = 1;; ++i) {
    const auto fd = static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof how));
    if (fd >= 0 || (errno != EINTR && errno != EAGAIN) || i == attempts) return fd;
  }
}

// Segment by segment, each in the folder before it, without any link.
unique_fd open_step_by_step(int folder, std::string_view path) {
  unique_fd at;
  while (!path.empty()) {
    const std::string name(path.substr(0, path.find('/')));
    path.remove_prefix(name.size());
    const bool folder_wanted = path.starts_with('/');
    path.remove_prefix(folder_wanted ? 1 : 0);
    if (name.empty() || name == "..") {
      errno = EXDEV;
      return {};
    }
    const int kind = folder_wanted ? O_DIRECTORY : 0;
    unique_fd next(::openat(at ? at.get() : folder, name.c_str(), how_to_open | O_NOFOLLOW | kind));
    if (!next) return {};
    at = std::move(next);
  }
  if (!at) errno = ENOENT;
  return at;
}

}  // namespace

unique_fd open_beneath(int folder, const std::string& path) {
  unique_fd fd(open_by_kernel(folder, path.c_str()));
  if (fd || errno != ENOSYS) return fd;
  return open_step_by_step(folder, path);
}

}  // namespace bulkhead::actors
