#pragma once

#include <CLI/CLI.hpp>

#include "actors/server.hpp"

namespace bulkhead::cli {

// Every setting of the server as an option of `to`, written to `settings` as it is parsed; values
// out of bounds are CLI11 errors that name the option. Both must outlive the parse.
void add_serve_options(CLI::App& to, config& settings);

}  // namespace bulkhead::cli
