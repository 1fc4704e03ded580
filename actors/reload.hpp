#pragma once

#include <string>
#include <vector>

#include "actors/config.hpp"

namespace bulkhead::actors {

// What a running server is built on can't change under it: in `next`, these settings get back
// their `current` values. Returns the names of those that differed.
std::vector<std::string> keep_for_now(const config& current, config& next);

}  // namespace bulkhead::actors
