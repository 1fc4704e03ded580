// Listening on a unix socket, and the file that it leaves behind.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "actors/socket.hpp"

namespace bulkhead::actors {

// What an address of this kind begins with: "unix:/run/bulkhead.sock".
constexpr std::string_view unix_prefix = "unix:";

// Owns the file of a bound unix socket and removes it at its end, but only in the
// process that bound it, and only while the file is still the same: another
// server may have replaced it.
class socket_file {
 public:
  socket_file() = default;
  // The socket must have been bound to this path just now.
  explicit socket_file(std::string path);
  socket_file(socket_file&& other) noexcept = default;
  socket_file& operator=(socket_file&& other) noexcept;
  ~socket_file() { remove(); }

 private:
  void remove();

  std::string path_;
  unique_fd inode_;  // as long as it is held, no other file gets its number
  pid_t binder_ = 0;
};

struct unix_listener {
  unique_fd socket;
  socket_file file;
};

// A file that a dead server left there is replaced. Throws std::invalid_argument
// for a path that does not fit into an address, and std::system_error that names
// the path when it can't be bound: because someone answers there, because the
// file is no socket, or what else the system says. The file's mode is the
// process's umask's.
unix_listener listen_on_unix(const std::string& path);

}  // namespace bulkhead::actors
