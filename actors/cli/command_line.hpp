#pragma once

#include <optional>

#include "actors/server.hpp"

namespace bulkhead::cli {

inline constexpr int exit_usage = 2;

// What was asked for: to serve with these settings, unless there is an exit code already because
// help or the version was asked for, or because something was wrong.
struct command_line {
  std::optional<int> exit_code{};
  config settings{};
};

// Writes what there is to say: one line to standard error that names the option and the fault.
command_line parse(int count, const char* const* arguments);

}  // namespace bulkhead::cli
