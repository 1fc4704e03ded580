#pragma once

#include <string>

#include "actors/config.hpp"

namespace bulkhead::actors {

// Throws std::invalid_argument that names the setting and what is wrong with it.
void validate(const config& settings);

// Whether the limit of descriptors is enough for the handlers' processes, and for all else of so
// many reactors. Throws std::invalid_argument that says how many are missing, and how to get them.
void require_descriptors(const config& settings, unsigned reactors);

// What may stand in config::sandbox_require: "'seccomp', 'landlock', ...".
std::string sandbox_layers();

// Reads the files of all handlers. Throws std::invalid_argument that names the handler and the
// file.
void require_guest_files(const config& settings);

}  // namespace bulkhead::actors
