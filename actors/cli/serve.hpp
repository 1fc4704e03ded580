#pragma once

#include "actors/server.hpp"

namespace bulkhead::cli {

// Serves the demo, or the files of settings.root, until SIGTERM or SIGINT; the exit code of the
// program. From the main thread, before there are others.
int serve(const config& settings);

}  // namespace bulkhead::cli
