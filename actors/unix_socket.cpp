#include "actors/unix_socket.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace bulkhead::actors {

namespace {

[[noreturn]] void fail(int reason, const std::string& what) {
  throw std::system_error(reason, std::generic_category(), what);
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  constexpr auto path_bytes_max = sizeof address.sun_path - 1;
  if (path.empty()) throw std::invalid_argument("'unix:' names no path");
  if (path.size() > path_bytes_max || path.find('\0') != std::string::npos)
    throw std::invalid_argument("'unix:" + path + "': a socket's path has at most " +
                                std::to_string(path_bytes_max) + " bytes, not " +
                                std::to_string(path.size()) + ", and none of them is zero");
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path_bytes_max);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

unique_fd stream_socket(const std::string& path) {
  unique_fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) fail(errno, "cannot make a socket for unix:" + path);
  return fd;
}

// Two servers that start at once would both find nobody there, and the second
// remove the first's file. Gives up after a second, as it is only a precaution:
// anybody may hold that lock.
unique_fd lock_folder_of(const std::string& path) {
  using namespace std::chrono_literals;
  auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  unique_fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int tries = 0; fd && tries < 100; ++tries) {
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) break;
    std::this_thread::sleep_for(10ms);
  }
  return fd;
}

// Removes the file of a socket on which nobody listens any more.
void remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return;  // bind says whatever else is wrong
  if (!S_ISSOCK(found.st_mode)) fail(EEXIST, "cannot bind unix:" + path + ", it is no socket");
  const auto probe = stream_socket(path);
  if (::connect(probe.get(), generic(address), sizeof address) == 0 || errno == EAGAIN)
    fail(EADDRINUSE, "cannot bind unix:" + path + ", another server answers there");
  if (errno != ECONNREFUSED) fail(errno, "cannot tell who listens on unix:" + path);
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    fail(errno, "cannot replace unix:" + path + ", on which nobody listens");
}

}  // namespace

socket_file::socket_file(std::string path)
    : path_(std::move(path)),
      inode_(::open(path_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)),
      binder_(::getpid()) {}

socket_file& socket_file::operator=(socket_file&& other) noexcept {
  remove();
  path_ = std::move(other.path_);
  inode_ = std::move(other.inode_);
  binder_ = other.binder_;
  return *this;
}

void socket_file::remove() {
  if (!inode_ || binder_ != ::getpid()) return;
  struct stat ours {
  }, there{};
  if (::fstat(inode_.get(), &ours) == 0 && ::lstat(path_.c_str(), &there) == 0 &&
      ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
    ::unlink(path_.c_str());
  inode_.reset();
}

unix_listener listen_on_unix(const std::string& path) {
  const auto address = address_of(path);
  const auto lock = lock_folder_of(path);
  remove_stale(path, address);
  unix_listener made{stream_socket(path), {}};
  if (::bind(made.socket.get(), generic(address), sizeof address) != 0)
    fail(errno, "cannot bind unix:" + path);
  made.file = socket_file(path);
  if (::listen(made.socket.get(), SOMAXCONN) != 0) fail(errno, "cannot listen on unix:" + path);
  return made;
}

}  // namespace bulkhead::actors
