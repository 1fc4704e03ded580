// The process that holds the listening sockets and starts another worker when one has crashed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>

#include "actors/cli/command_line.hpp"
#include "actors/cli/signals.hpp"
#include "actors/flight_recorder.hpp"
#include "actors/listener.hpp"

namespace bulkhead::cli {

// Connections that come while there is no worker wait in the sockets' queues. A worker that ends
// without being told is logged, with its signal and the requests that it died in, and replaced: at
// once after the first crash, later after pauses that double up to 10 s and start anew when a
// worker has lived as long. SIGTERM, SIGINT and SIGHUP go on to the worker; one that is still there
// when its time is over is killed. Has one thread, so that it may fork.
class supervisor {
 public:
  // Keeps the sockets. The signals must be blocked (signals.hpp).
  supervisor(const command_line& asked, actors::listening sockets);

  // Until told to end. Returns the program's exit code: that of the worker that was told, or of one
  // that ended before any had served. `ready` is called once, when the first worker serves.
  int run(const std::function<void()>& ready);

 private:
  using time_point = std::chrono::steady_clock::time_point;

  void start_worker();
  [[noreturn]] void become_worker(pid_t parent);
  void take(int signal, const std::function<void()>& ready);
  void reload();
  void begin_to_end();
  void bury_worker();
  std::chrono::milliseconds until_next() const;

  command_line asked_;             // with the settings of now
  std::optional<config> pending_;  // sent to the worker, which has not taken them yet
  actors::listening sockets_;
  actors::flight_recorder flights_;
  signals told_;
  pid_t worker_ = 0;  // 0: none now
  time_point started_{};
  time_point next_{};     // without a worker: to start one; while ending: to kill it
  unsigned crashes_ = 0;  // in a row
  bool ready_ = false;    // a worker has served
  bool ending_ = false;
  std::optional<int> exit_code_{};
};

}  // namespace bulkhead::cli
