#include "actors/cli/command_line.hpp"

// Half a minute of compiling in an instrumented build: only this source includes it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <span>
#include <string>
#include <string_view>

#include "actors/cli/manual/manual.hpp"
#include "actors/cli/more_commands.hpp"
#include "actors/guest_check.hpp"
#include "actors/listener.hpp"
#include "actors/validate.hpp"
#include "sandbox/wasm/translate.hpp"

namespace bulkhead::cli {
namespace {

std::string default_of(const setting& one) {
  config defaults;
  if (const auto* number = std::get_if<number_setting>(&one.kind))
    return std::to_string(number->get(defaults));
  if (const auto* text = std::get_if<text_setting>(&one.kind)) return text->in(defaults);
  const auto texts = std::get<texts_setting>(one.kind).get(defaults);
  return texts.empty() ? std::string() : texts.front();
}

// The flag's text is only kept: load_config() judges it, as it does the file's values.
void add_flag(CLI::App& to, const setting& one, given_flags& given) {
  const bool many = std::holds_alternative<texts_setting>(one.kind);
  auto* option = to.add_option_function<std::vector<std::string>>(
      std::string(one.flag), [&given, &one](const auto& texts) { given[&one] = texts; },
      std::string(one.help));
  const bool text = std::holds_alternative<text_setting>(one.kind);
  option->type_name(many   ? "TEXT..."
                    : text ? "TEXT"
                           : "N")
      ->default_str(default_of(one))
      ->expected(1);
  option->multi_option_policy(many ? CLI::MultiOptionPolicy::TakeAll
                                   : CLI::MultiOptionPolicy::Throw);
}

CLI::App& add_command(CLI::App& to, const std::string& name, const std::string& help,
                      command_line& result) {
  auto& command = *to.add_subcommand(name, help);
  command.add_option("--config", result.file, "TOML file of settings; flags win over it")
      ->type_name("FILE");
  for (const auto& one : settings()) add_flag(command, one, result.flags);
  return command;
}

// CLI11 would take the next argument for the value of "--threads=".
std::optional<std::string> flag_with_empty_value(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments)
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1)
      return std::string(argument.substr(0, argument.size() - 1));
  return std::nullopt;
}

// One line, however many CLI11 has.
int refuse(const std::string& command, std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::cerr << command << ": " << what << '\n';
  return exit_usage;
}

int refuse(const std::string& command, const std::vector<std::string>& errors) {
  for (const auto& error : errors) refuse(command, error);
  return exit_usage;
}

int check(const std::string& file) {
  const auto loaded = load_config(file, {});
  if (!loaded.errors.empty()) {
    for (const auto& error : loaded.errors) std::cerr << error << '\n';
    return exit_usage;
  }
  try {
    actors::validate(loaded.settings);
    if (!loaded.settings.tls_listen.empty()) actors::tls_service::check(loaded.settings);
    if (const auto faults = actors::check_guests(loaded.settings); !faults.empty())
      return refuse(file, faults);
  } catch (const std::invalid_argument& wrong) {
    return refuse(file, wrong.what());
  }
  for (const auto& remark : actors::remarks_on_guests(loaded.settings))
    std::cerr << file << ": " << remark << '\n';
  std::cout << file << ": ok\n";
  return 0;
}

// What the server would do with it at its start, ahead of that.
int build_module(const std::string& file, const std::string& cache) {
  const auto built = sandbox::translate({file, cache, std::chrono::minutes(5)});
  if (!built.error.empty()) {
    std::cerr << built.error << '\n';
    return 1;
  }
  std::cout << built.path << '\n';
  return 0;
}

int print(const std::string& text) {
  std::cout << text << std::flush;
  return std::cout ? 0 : 1;
}

}  // namespace

command_line parse(int count, const char* const* arguments) {
  CLI::App app("Bulkhead, an HTTP/1.1 server in which every connection is an actor", "bulkhead");
  app.set_version_flag("--version", "bulkhead " BULKHEAD_VERSION);
  app.require_subcommand(0, 1);
  command_line result;
  auto& serve =
      add_command(app, "serve", "Serve a folder or the demo until SIGTERM or SIGINT", result);
  serve.add_flag_callback(
      "--no-supervisor", [&result] { result.supervised = false; },
      "Serve in this process: a crash of a handler ends it");
  const auto& show =
      add_command(app, "config", "Print the settings that serve would have, as TOML", result);
  auto& checks = *app.add_subcommand("check", "Tell what is wrong with a TOML file of settings");
  std::string checked;
  checks.add_option("FILE", checked, "The file")->required();
  auto& writes = *app.add_subcommand("manual", "Print a document that is made from the program");
  writes.group("");  // for the build: --help does not show it
  std::string kind;
  writes.add_option("KIND", kind, "Which")->required()->check(CLI::IsMember(manuals()));

  auto& wasm = *app.add_subcommand("wasm", "Handlers that are WebAssembly modules");
  wasm.require_subcommand(1);
  auto& build = *wasm.add_subcommand(
      "build", "Translate a module, so that it is there when the server starts; prints the object");
  std::string module, cache = "wasm-cache";
  build.add_option("FILE", module, "The module")->required();
  build.add_option("--cache", cache, "Folder for objects, which only its owner may write to")
      ->capture_default_str();

  // For the list; main() has them run before this.
  for (const auto& one : more_commands()) app.add_subcommand(one.name, one.help);

  const auto command = [&]() -> std::string {
    for (const CLI::App* each :
         std::initializer_list<const CLI::App*>{&serve, &show, &checks, &writes, &wasm})
      if (each->count() > 0) return "bulkhead " + each->get_name();
    return "bulkhead";
  };
  const std::span given(arguments, static_cast<std::size_t>(count));
  if (const auto flag = flag_with_empty_value(given))
    return {.exit_code = refuse("bulkhead", *flag + ": nothing after its '='")};
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& wish) {  // --help, --version
    return {.exit_code = app.exit(wish)};
  } catch (const CLI::ParseError& wrong) {
    return {.exit_code = refuse(command(), wrong.what())};
  }
  if (checks.count() > 0) return {.exit_code = check(checked)};
  if (writes.count() > 0) return {.exit_code = print(manual(kind, app))};
  if (build.count() > 0) return {.exit_code = build_module(module, cache)};
  if (command() == "bulkhead")
    return {.exit_code = refuse("bulkhead", "no command; bulkhead --help lists them")};
  const auto loaded = load_config(result.file, result.flags);
  if (!loaded.errors.empty()) return {.exit_code = refuse(command(), loaded.errors)};
  if (show.count() > 0) return {.exit_code = print(to_toml(loaded))};
  result.settings = loaded.settings;
  return result;
}

}  // namespace bulkhead::cli
