#include <exception>
#include <iostream>

#include "actors/cli/command_line.hpp"
#include "actors/cli/more_commands.hpp"
#include "actors/cli/serve.hpp"

int main(int count, char** arguments) try {
  for (const auto& command : bulkhead::cli::more_commands())
    if (count > 1 && command.name == arguments[1]) return command.run(count - 1, arguments + 1);
  const auto asked = bulkhead::cli::parse(count, arguments);
  return asked.exit_code ? *asked.exit_code : bulkhead::cli::serve(asked);
} catch (const std::exception& bug) {
  std::cerr << "bulkhead: " << bug.what() << '\n';
  return 1;
}
