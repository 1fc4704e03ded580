// The one table of everything that can be set: the flags, the file, `bulkhead config` and the
// bounds of all three are made from it. A new member of bulkhead::config is one more row in
// settings.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "actors/cli/whole_number.hpp"
#include "actors/server.hpp"

namespace bulkhead::cli {

struct number_setting {
  std::uint64_t (*get)(const config&);
  void (*set)(config&, std::uint64_t);
  number_range range;
};

// Several texts in order.
struct texts_setting {
  std::vector<std::string> (*get)(const config&);
  void (*set)(config&, const std::vector<std::string>&);
  std::string_view what;  // "an array of file names"
  std::optional<std::string> (*fault)(std::string_view);
};

// A text, or none.
struct text_setting {
  std::string& (*in)(config&);
  std::string_view what;  // "a file name"
  // What is wrong with a text that is not empty; nullopt: nothing.
  std::optional<std::string> (*fault)(std::string_view);
};

struct setting {
  std::string_view table;  // "limits"; empty for the top level
  std::string_view key;    // "head_bytes_max"
  std::string_view flag;   // "--head-bytes-max"
  std::string_view help;
  std::variant<number_setting, texts_setting, text_setting> kind;
  // The key in the same table whose value this one may not exceed; mostly empty.
  std::string_view not_above{};
};

// Top-level keys first, then table by table, as a TOML file wants them.
std::span<const setting> settings();

// "limits.head_bytes_max" or "threads".
std::string full_name(const setting& of);

}  // namespace bulkhead::cli
