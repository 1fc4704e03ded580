#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

#include "actors/cli/serve.hpp"
#include "actors/cli/serve_options.hpp"

namespace {

constexpr int usage_error = 2;

// One line, however many CLI11 has.
int refuse(const std::string& command, std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::cerr << command << ": " << what << '\n';
  return usage_error;
}

}  // namespace

int main(int count, char** arguments) try {
  CLI::App app("Bulkhead, an HTTP/1.1 server in which every connection is an actor", "bulkhead");
  app.set_version_flag("--version", "bulkhead " BULKHEAD_VERSION);

  bulkhead::config settings;
  auto& serve = *app.add_subcommand("serve", "Serve the demo until SIGTERM or SIGINT");
  bulkhead::cli::add_serve_options(serve, settings);

  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& wish) {  // --help, --version
    return app.exit(wish);
  } catch (const CLI::ParseError& wrong) {
    return refuse(serve.count() > 0 ? "bulkhead serve" : "bulkhead", wrong.what());
  }
  if (serve.count() == 0) return refuse("bulkhead", "no command; bulkhead --help lists them");
  return bulkhead::cli::serve(settings);
} catch (const std::exception& bug) {
  std::cerr << "bulkhead: " << bug.what() << '\n';
  return 1;
}
