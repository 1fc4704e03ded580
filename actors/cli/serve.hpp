#pragma once

#include "actors/cli/command_line.hpp"

namespace bulkhead::cli {

// Serves the demo, or the files of settings.root, until SIGTERM or SIGINT; the exit code of the
// program. From the main thread, before there are others.
int serve(const command_line& asked);

}  // namespace bulkhead::cli
