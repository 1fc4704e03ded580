// The signals that the program takes, as something to wait for.
#pragma once

#include <sys/types.h>

#include <chrono>

#include "actors/socket.hpp"

namespace bulkhead::cli {

// SIGTERM, SIGINT, SIGHUP, SIGCHLD and SIGUSR1 wait from now on until somebody takes them; SIGPIPE
// is ignored, for a reader of our output that goes away must not end the server. From the main
// thread, before there are others and before anyone can have read our address and send one.
void block_signals();

class signals {
 public:
  static constexpr std::chrono::milliseconds forever{-1};

  // Of a supervised process: SIGTERM, SIGINT and SIGHUP count when the supervisor sends them, and
  // not when a service manager sends them to all its processes alike; 0: whoever sends them.
  // Throws std::system_error.
  explicit signals(pid_t only_from = 0);
  // The next one's number; 0: none came in that time.
  int wait(std::chrono::milliseconds time);
  int take() { return wait(std::chrono::milliseconds(0)); }

 private:
  pid_t only_from_;
  actors::unique_fd fd_;
};

}  // namespace bulkhead::cli
