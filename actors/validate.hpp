#pragma once

#include "actors/config.hpp"

namespace bulkhead::actors {

// Throws std::invalid_argument that names the setting and what is wrong with it.
void validate(const config& settings);

// Reads the files of all handlers. Throws std::invalid_argument that names the handler and the
// file.
void require_guest_files(const config& settings);

}  // namespace bulkhead::actors
