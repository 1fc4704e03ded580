// Files of this folder that are part of the program; builtin.cpp.in becomes the source.
#pragma once

#include <span>
#include <string_view>

namespace bulkhead::faults {

struct builtin_file {
  std::string_view name;  // without folder and extension
  std::string_view text;
};

std::span<const builtin_file> builtin_scenarios();
// Requests that servers have framed differently from one another: one JSON object a line, with
// `id`, `bytes` and `expect`, the statuses that are in order.
std::string_view builtin_smuggling();

}  // namespace bulkhead::faults
