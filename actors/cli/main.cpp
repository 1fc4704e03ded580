#include <exception>
#include <iostream>

#include "actors/cli/command_line.hpp"
#include "actors/cli/serve.hpp"

int main(int count, char** arguments) try {
  const auto asked = bulkhead::cli::parse(count, arguments);
  return asked.exit_code ? *asked.exit_code : bulkhead::cli::serve(asked);
} catch (const std::exception& bug) {
  std::cerr << "bulkhead: " << bug.what() << '\n';
  return 1;
}
