// The settings of handlers in the sandbox's own terms.
#pragma once

#include <string>
#include <vector>

#include "actors/guest_handler.hpp"
#include "sandbox/inline/executor.hpp"
#include "sandbox/process/executor.hpp"
#include "sandbox/wasm/settings.hpp"

namespace bulkhead::actors {

// One reactor's share, of so many.
sandbox::handler_settings settings_for(const guest_handler& of, unsigned reactors);

sandbox::inline_settings inline_settings_for(const guest_handler& of);

sandbox::wasm_settings module_settings_for(const guest_handler& of, const std::string& cache);

// Layers that are none are left out: validate() has refused them.
sandbox::process_settings settings_for(const std::vector<std::string>& required_layers);

}  // namespace bulkhead::actors
