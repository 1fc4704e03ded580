#pragma once

#include <optional>
#include <string>

#include "actors/cli/load_config.hpp"

namespace bulkhead::cli {

inline constexpr int exit_usage = 2;

// What was asked for: to serve with these settings, unless there is an exit code already because
// something else was asked for, and done, or because something was wrong.
struct command_line {
  std::optional<int> exit_code{};
  config settings{};
  // What the settings were made of, to make them again when the file has changed.
  std::optional<std::string> file{};
  given_flags flags{};
  // Whether the server runs in a process of its own, which is replaced when it crashes.
  bool supervised = true;
};

// Writes what there is to say: for each fault one line to standard error that names the flag, or
// the file and line, and what is wrong with it.
command_line parse(int count, const char* const* arguments);

}  // namespace bulkhead::cli
