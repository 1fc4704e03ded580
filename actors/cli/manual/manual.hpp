// What is generated from the program's own definitions, so that it can't say anything else.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead::cli {

// "man": bulkhead.1. "bash": completion for bash. "operations": docs/OPERATIONS.md.
const std::vector<std::string>& manuals();

// One of manuals().
std::string manual(std::string_view kind, const CLI::App& app);

// --- the kinds; man page and completion from the commands and options of `app` ---

std::string man_page(const CLI::App& app);
std::string bash_completion(const CLI::App& app);
std::string operations();

// --- for the kinds ---

// Those that are not hidden, in the order of their definition.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
std::vector<const CLI::Option*> options_of(const CLI::App& app);

}  // namespace bulkhead::cli
