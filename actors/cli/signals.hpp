// The signals that the program takes, as something to wait for.
#pragma once

#include <chrono>

#include "actors/socket.hpp"

namespace bulkhead::cli {

// SIGTERM, SIGINT, SIGHUP, SIGCHLD and SIGUSR1 wait from now on until somebody takes them; SIGPIPE
// is ignored, for a reader of our output that goes away must not end the server. From the main
// thread, before there are others and before anyone can have read our address and send one.
void block_signals();

// What a supervisor sends its worker for SIGTERM and SIGHUP: queued, so that none is lost in
// another's, and nobody else's, so that a service manager that tells all processes alike is heard
// once. signals translates them back.
int end_signal();
int reload_signal();

class signals {
 public:
  static constexpr std::chrono::milliseconds forever{-1};

  // Throws std::system_error.
  explicit signals(bool supervised = false);
  // The next one's number; 0: none came in that time.
  int wait(std::chrono::milliseconds time);
  int take() { return wait(std::chrono::milliseconds(0)); }

 private:
  actors::unique_fd fd_;
};

}  // namespace bulkhead::cli
