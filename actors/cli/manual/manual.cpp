#include "actors/cli/manual/manual.hpp"

#include <CLI/CLI.hpp>

namespace bulkhead::cli {

const std::vector<std::string>& manuals() {
  static const std::vector<std::string> kinds{"man", "bash", "operations"};
  return kinds;
}

std::string manual(std::string_view kind, const CLI::App& app) {
  if (kind == "man") return man_page(app);
  if (kind == "bash") return bash_completion(app);
  return operations();
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* each) { return !each->get_group().empty(); });
}

}  // namespace bulkhead::cli
