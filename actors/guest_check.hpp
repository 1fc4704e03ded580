// Whether handlers can be loaded, without serving.
#pragma once

#include <string>
#include <vector>

#include "actors/config.hpp"

namespace bulkhead::actors {

// Loads each one of config::handlers in a sandbox of its own; what is wrong with them, a line for
// each, that names the handler. Takes as long as they do, at most some seconds each.
std::vector<std::string> check_guests(const config& settings);

// Budgets that do not come into force, a line for each.
std::vector<std::string> remarks_on_guests(const config& settings);

}  // namespace bulkhead::actors
