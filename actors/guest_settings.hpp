// The settings of handlers in the sandbox's own terms.
#pragma once

#include <string>
#include <vector>

#include "actors/config.hpp"
#include "sandbox/inline/executor.hpp"
#include "sandbox/process/executor.hpp"
#include "sandbox/wasm/settings.hpp"

namespace bulkhead::actors {

// With the budgets of time that hold: behind the server's own deadline nobody waits for it.
guest_handler in_force(guest_handler of, const config& settings);

// One reactor's share, of so many.
sandbox::handler_settings settings_for(const guest_handler& of, unsigned reactors);

sandbox::inline_settings inline_settings_for(const guest_handler& of);

sandbox::wasm_settings module_settings_for(const guest_handler& of, const std::string& cache);

// Layers that are none are left out: validate() has refused them.
sandbox::process_settings settings_for(const std::vector<std::string>& required_layers);

}  // namespace bulkhead::actors
