// The words of docs/OPERATIONS.md for what the code defines.
#pragma once

#include <string_view>

#include "actors/cli/settings.hpp"
#include "actors/reason.hpp"

namespace bulkhead::cli {

struct explanation {
  std::string_view unit;
  std::string_view why;  // this default
};

// Throws std::logic_error that names a setting which has none: a row is to be added.
explanation explain(const setting& one);

// When it is given, and what is to be done.
std::string_view explain(reason why);

// Of a field of the access log; throws std::logic_error for one that is not known.
std::string_view explain_log_field(std::string_view name);

}  // namespace bulkhead::cli
