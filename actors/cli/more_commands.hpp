// Commands of the program that rooms above this one bring along: faults/ has `bulkhead soak`.
#pragma once

#include <string>
#include <vector>

namespace bulkhead::cli {

struct more_command {
  std::string name;
  std::string help;
  int (*run)(int count, char** arguments);  // from the name on; gives the exit code
};

// Whoever is linked into the program adds to it before main(), by initialising a variable.
inline std::vector<more_command>& more_commands() {
  static std::vector<more_command> all;
  return all;
}

}  // namespace bulkhead::cli
