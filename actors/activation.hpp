// Listening sockets that systemd opened for this process (sd_listen_fds(3)).
#pragma once

#include <string>
#include <vector>

#include "actors/socket.hpp"

namespace bulkhead::actors {

struct activated_socket {
  unique_fd socket;
  int number = 0;    // 3 and up
  std::string name;  // of LISTEN_FDNAMES; empty when that is not set
};

// Takes over the descriptors that LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES tell
// of, and unsets all three: they can be taken once, before other threads that use
// the environment. None when LISTEN_PID is not set or is another process's.
// Throws std::invalid_argument that names a variable whose value is malformed, or
// the number of a descriptor that is no listening stream socket, and why.
std::vector<activated_socket> take_activated_sockets();

}  // namespace bulkhead::actors
