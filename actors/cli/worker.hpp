// The process that serves.
#pragma once

#include <cstdint>
#include <functional>

#include "actors/cli/command_line.hpp"
#include "actors/listener.hpp"
#include "actors/server.hpp"

namespace bulkhead::cli {

// `next`: in the place of one that crashed, so that what a first one would refuse to start without
// must not keep everything else down.
enum class worker_role : std::uint8_t { alone, first, next };

// Serves the demo, or the files of settings.root, on these sockets, and tells when it does. SIGHUP
// reads the configuration again, and tells when that is in force: one with a fault is logged and
// changes nothing. SIGTERM and SIGINT
// drain, the second of them stops; when handlers have not returned a second after the drain's
// deadline, or after that second signal, the process ends without them, exit code 1. The signals
// must be blocked (signals.hpp). Throws as server::start() and files() do.
void work(const command_line& asked, config settings, actors::listening sockets,
          const std::function<void()>& ready, const std::function<void()>& reloaded,
          worker_role role);

// Logs what is wrong with a new configuration, or nothing when it can be used.
bool log_faults(const loaded_config& loaded);

}  // namespace bulkhead::cli
