// What is left of a run: one JSON value, of which the table and the page are made.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "faults/soak.hpp"
#include "faults/verdict.hpp"

namespace bulkhead::faults {

// `replay` is the command that does the same again.
nlohmann::ordered_json report(const soak_options& options, const soak_result& run,
                              const std::vector<check>& checks, const std::string& replay);

// For a terminal, 100 columns.
std::string as_table(const nlohmann::ordered_json& report);
// A page on its own: no script, no style and no picture from elsewhere.
std::string as_page(const nlohmann::ordered_json& report);

}  // namespace bulkhead::faults
