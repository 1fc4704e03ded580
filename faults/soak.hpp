// One run of a scenario, from the first healthy request to the drained server.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faults/handler_counts.hpp"
#include "faults/process_tree.hpp"
#include "faults/recorder.hpp"
#include "faults/scenario.hpp"
#include "faults/swarm.hpp"

namespace bulkhead::faults {

struct soak_options {
  scenario what{};
  std::uint64_t seed = 1;
  std::string target{};      // origin of somebody else's server; empty: one of our own
  std::string tls_target{};  // its HTTPS
  std::string admin{};       // its admin listener, if it is Bulkhead
  pid_t pid = 0;             // its process; 0: not known
  std::size_t peers_max = 1000;
  std::string guests{};  // folder with the files of the scenario's handlers; empty: where one is
};

struct batch_result {
  std::optional<double> recovery_ms{};  // from the last peer's end until all is as before
  std::optional<tree_figures> holds{};
  std::uint64_t sessions_refused = 0;  // by the server in this batch, as far as it says
};

// Of the drained server, when it tells.
struct completion_figures {
  std::uint64_t ended = 0;  // sessions that are no more
  std::uint64_t delivered = 0;
  std::uint64_t outstanding = 0;
};

struct soak_result {
  healthy_figures healthy{};
  std::vector<fault> given{};           // those of the scenario that this server can be given
  std::vector<fault_figures> faults{};  // what became of each
  std::vector<std::string> fault_samples{};
  std::vector<batch_result> batches{};
  std::optional<completion_figures> completions{};
  std::optional<tree_figures> at_rest{};  // just before the first faults
  std::vector<handler_count> handlers{};  // of a server that tells
  bool has_own_server = false;
  std::optional<int> exit_code{};  // of our own server, when it ended by itself
  std::string server_log{};        // its last lines
  bool interrupted = false;
  std::optional<unsigned> died_in{};   // the batch in which its process ended; there is none behind
  std::vector<std::string> skipped{};  // kinds that this server can't be given
};

// What is shown while it runs: on a terminal one line that is written over, else a line a phase.
struct progress {
  virtual ~progress() = default;
  virtual void say(const std::string& line) = 0;   // a phase has begun or ended
  virtual void show(const std::string& line) = 0;  // several times a second
};

// Ends early, but in order, once `interrupt` is set. Throws std::runtime_error: the server can't be
// started or reached, or its answers are not right to begin with; scenario_error: it can't host
// what the scenario wants.
soak_result soak(const soak_options& options, progress& to, const std::atomic<bool>& interrupt);

}  // namespace bulkhead::faults
