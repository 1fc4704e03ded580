#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bulkhead::cli {

// A value of a kind that no setting has, by its name: "a float".
struct other_value {
  std::string_view what;
};

using toml_value = std::variant<std::int64_t, std::string, std::vector<std::string>, other_value>;

// table.key = value. A table is also an entry itself, other_value "a table", or "an array of
// tables"; one inside a table is only that. Each table of an array begins with an entry without a
// key.
struct toml_entry {
  std::string table;  // empty for the top level
  std::string key;
  std::size_t index = 0;  // which of the tables of that name, from 1; 0: there is one, or none
  std::size_t line = 0;
  toml_value value;
  bool begins_table = false;
};

struct toml_fault {
  std::size_t line = 0;  // 0: of the file as a whole
  std::string what;
};

struct toml_file {
  std::vector<toml_entry> entries;  // in the order of their lines
  std::vector<toml_fault> faults;   // not readable, or no TOML; then there is nothing else
};

// Throws nothing but std::bad_alloc.
toml_file read_toml(const std::string& path);

}  // namespace bulkhead::cli
