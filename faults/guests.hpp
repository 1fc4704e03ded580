// Files of the handlers that a scenario hosts, and what a server of one's own has to be told of
// them.
#pragma once

#include <filesystem>
#include <string>

#include "faults/scenario.hpp"

namespace bulkhead::faults {

// A file of settings for `bulkhead serve`, with a [[handler]] for each; files are taken from
// `guests`, or from where the tool was started when it is empty. Throws scenario_error: one is not
// there, and which.
std::string settings_of_handlers(const scenario& what, const std::filesystem::path& guests);

}  // namespace bulkhead::faults
