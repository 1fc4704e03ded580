// `bulkhead soak`: the command line of the tool. Part of the program, not of the library.
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

// Half a minute of compiling in an instrumented build: only this source includes it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/cli/more_commands.hpp"
#include "actors/client_wire.hpp"
#include "actors/socket.hpp"
#include "faults/builtin.hpp"
#include "faults/report.hpp"
#include "faults/scenario.hpp"
#include "faults/soak.hpp"
#include "faults/verdict.hpp"

namespace bulkhead::faults {
namespace {

constexpr int exit_usage = 2;

// Set by a signal, so lock-free and nowhere else than here.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

class live_line final : public progress {
 public:
  void say(const std::string& line) override {
    if (is_terminal_) std::cerr << "\r\033[K";
    std::cerr << line << '\n';
  }
  void show(const std::string& line) override {
    if (is_terminal_) std::cerr << "\r\033[K" << line.substr(0, columns() - 1) << std::flush;
  }

 private:
  // A line that is wrapped could not be written over.
  static std::size_t columns() {
    winsize size{};
    const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : 80;
  }

  const bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
};

struct asked {
  std::string scenario{};
  soak_options options{};
  std::vector<std::string> healthy{};  // targets
  std::vector<std::string> traps{};    // TARGET=STATUS,...
  std::vector<std::string> bounds{};   // NAME=NUMBER
  std::vector<std::string> server_options{};
  unsigned duration_s = 0;
  unsigned batches = 0;
  std::string json_file{};
  std::string page_file{};
  bool shows = false;
  bool lists = false;
};

fault trap_of(const std::string& text) {
  const auto equals = text.rfind('=');
  if (!text.starts_with('/') || equals == std::string::npos)
    throw std::invalid_argument("--trap: '" + text + "' is not like /broken=500,502");
  fault one{.kind = "request", .target = text.substr(0, equals), .rate = 10};
  std::istringstream statuses(text.substr(equals + 1));
  for (std::string word; std::getline(statuses, word, ',');) {
    std::size_t end = 0;
    const int status = word.empty() ? -1 : std::stoi(word, &end);
    if (end != word.size() || status < 0 || status > 599)
      throw std::invalid_argument("--trap: '" + word + "' is no status");
    one.expect.push_back(status);
  }
  return one;
}

void apply(asked& all) {
  auto& what = all.options.what;
  what = load_scenario(all.scenario);
  if (all.duration_s > 0) what.duration = std::chrono::seconds(all.duration_s);
  if (all.batches > 0) what.batches = all.batches;
  if (!all.healthy.empty()) what.healthy.clear();
  for (const auto& target : all.healthy) what.healthy.push_back({.target = target, .clients = 2});
  for (const auto& trap : all.traps) what.faults.push_back(trap_of(trap));
  for (const auto& line : all.bounds) what.accepted = parse_bounds("--bound", line, what.accepted);
  auto& options = what.server_options;
  options.insert(options.end(), all.server_options.begin(), all.server_options.end());
  for (const auto& target : {all.options.target, all.options.tls_target})
    if (!target.empty()) static_cast<void>(actors::parse_origin(target));
}

// With all that was given, and the seed in any case.
std::string replay_of(int count, char** arguments, std::uint64_t seed) {
  std::string text = "bulkhead";
  bool has_seed = false;
  for (int i = 0; i < count; ++i) {
    const std::string_view word = arguments[i];
    has_seed = has_seed || word.starts_with("--seed");
    const bool is_plain = word.find_first_of(" '\"$&;?*()<>|\\") == std::string_view::npos;
    text.append(" ").append(is_plain ? word : "'" + std::string(word) + "'");
  }
  return has_seed ? text : text + " --seed " + std::to_string(seed);
}

void write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw std::runtime_error(path + ": can't be written");
}

void list() {
  for (const auto& one : builtin_scenarios())
    std::cout << one.name << ": " << load_scenario(std::string(one.name)).about << '\n';
  std::cout << "\nkinds of faults:\n";
  for (const auto& one : fault_kinds()) std::cout << one.name << ": " << one.about << '\n';
}

int run(asked& all, int count, char** arguments) {
  if (all.lists) return list(), 0;
  if (all.shows) return std::cout << scenario_text(all.scenario), 0;
  apply(all);
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction told {};
    told.sa_handler = [](int) { interrupted = true; };
    ::sigaction(number, &told, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
  live_line line;
  const auto result = soak(all.options, line, interrupted);
  const auto checks = judge(result, all.options.what.accepted);
  const auto summary =
      report(all.options, result, checks, replay_of(count, arguments, all.options.seed));
  std::cout << as_table(summary) << std::flush;
  write_file(all.json_file, summary.dump(1) + '\n');
  write_file(all.page_file, as_page(summary));
  return all_hold(checks) ? 0 : 1;
}

void add_options(CLI::App& to, asked& all) {
  to.add_option("SCENARIO", all.scenario, "Its name, or a TOML file")->default_val("mixed-traps");
  to.add_flag("--list", all.lists, "List scenarios and kinds of faults");
  to.add_flag("--show", all.shows, "Print the scenario's file, to start one of your own from");
  to.add_option("--duration", all.duration_s, "All batches together, in place of the scenario's")
      ->type_name("SECONDS")
      ->check(CLI::Range(1u, 1'000'000u));
  to.add_option("--batches", all.batches, "How many, in place of the scenario's")
      ->check(CLI::Range(1u, 10'000u));
  to.add_option("--seed", all.options.seed, "Where everything random comes from; else random");
  to.add_option("--target", all.options.target,
                "http://HOST:PORT of a server to soak in place of one of its own")
      ->type_name("URL");
  to.add_option("--tls-target", all.options.tls_target, "https://HOST:PORT of that server")
      ->type_name("URL");
  to.add_option("--admin", all.options.admin, "Its admin listener, if it is Bulkhead")
      ->type_name("URL");
  to.add_option("--pid", all.options.pid, "Its process, whose memory and descriptors are read")
      ->check(CLI::PositiveNumber);
  to.add_option("--healthy", all.healthy, "Ask for this TARGET, in place of the scenario's")
      ->type_name("TARGET");
  to.add_option("--trap", all.traps, "A TARGET that may fail with these statuses; 0: no answer")
      ->type_name("TARGET=STATUS,...");
  to.add_option("--bound", all.bounds, "A line of [bounds], such as lost=0")->type_name("LINE");
  to.add_option("--server-option", all.server_options, "One more for the server of its own")
      ->type_name("FLAG");
  to.add_option("--guests", all.options.guests,
                "Folder with the files of the scenario's [[handler]]s; else where you are")
      ->type_name("FOLDER")
      ->take_last();  // as with files below: who starts it may have defaults
  to.add_option("--peers-max", all.options.peers_max, "Hostile peers at once")
      ->capture_default_str()
      ->check(CLI::Range(1u, 100'000u));
  to.add_option("--json", all.json_file, "Where the figures go")->type_name("FILE")->take_last();
  to.add_option("--html", all.page_file, "Where the report goes")->type_name("FILE")->take_last();
}

int refuse(const std::string& what, int code) {
  std::cerr << "bulkhead soak: " << what << '\n';
  return code;
}

int soak_command(int count, char** arguments) {
  CLI::App app("Break a server on purpose, and tell what its healthy clients noticed",
               "bulkhead soak");
  asked all;
  all.options.seed = std::random_device{}();
  add_options(app, all);
  try {
    app.parse(count, arguments);
    return run(all, count, arguments);
  } catch (const CLI::Success& wish) {
    return app.exit(wish);
  } catch (const CLI::ParseError& wrong) {
    std::string text = wrong.what();
    std::ranges::replace(text, '\n', ' ');
    return refuse(text, exit_usage);
  } catch (const scenario_error& wrong) {
    return refuse(wrong.what(), exit_usage);
  } catch (const std::invalid_argument& wrong) {
    return refuse(wrong.what(), exit_usage);
  } catch (const std::exception& wrong) {
    return refuse(wrong.what(), 1);
  }
}

[[maybe_unused]] const auto& registered = cli::more_commands().emplace_back(
    cli::more_command{"soak", "Break a server on purpose; see bulkhead soak --help", soak_command});

}  // namespace
}  // namespace bulkhead::faults
