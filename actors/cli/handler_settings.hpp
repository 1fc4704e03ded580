// The table of what a [[handler]] of the file may say.
#pragma once

#include <span>

#include "actors/cli/settings.hpp"

namespace bulkhead::cli {

// As settings(), for the last one of config::handlers, which must be there. No row has a flag.
std::span<const setting> handler_settings();

}  // namespace bulkhead::cli
