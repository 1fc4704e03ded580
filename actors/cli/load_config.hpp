// From a file and flags to a checked configuration: the same for start, `check`, `config` and
// reload.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/cli/settings.hpp"

namespace bulkhead::cli {

// The texts that were given to a flag, by its row of settings().
using given_flags = std::map<const setting*, std::vector<std::string>>;

struct loaded_config {
  config settings{};
  // Where each value came from: "FILE:12" or "--threads"; a setting without an entry has its
  // default.
  std::map<const setting*, std::string> origins{};
  // The same for each one of settings.handlers, by its row of handler_settings().
  std::vector<std::map<const setting*, std::string>> handler_origins{};
  // Every fault, a line each, without its end: "FILE:12: threads: what is wrong". While there is
  // one, `settings` is not to be used.
  std::vector<std::string> errors{};
};

// Flags win over the file, the file over the defaults. Opens no socket and looks up no name. Throws
// nothing but std::bad_alloc; may be called at any time, from any thread.
loaded_config load_config(const std::optional<std::string>& file, const given_flags& flags);

// The configuration as TOML that load_config() reads back, each line with its origin as a comment.
std::string to_toml(const loaded_config& of);

}  // namespace bulkhead::cli
