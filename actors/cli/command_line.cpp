#include "actors/cli/command_line.hpp"

#include <arpa/inet.h>

// Half a minute of compiling in an instrumented build: only this source includes it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>

#include "actors/cli/whole_number.hpp"

namespace bulkhead::cli {
namespace {

constexpr std::uint64_t deadline_ms_max = 24ull * 3600 * 1000;

template <class Target>
std::string shown(Target value) {
  return std::to_string(value);
}
std::string shown(std::chrono::milliseconds value) {
  return std::to_string(value.count());
}

// CLI11's own conversion would take "010" for eight and cut off what does not fit.
template <class Target>
CLI::Option* add_number(CLI::App& to, const std::string& name, Target& target, number_range range,
                        const std::string& help) {
  return to
      .add_option_function<std::string>(
          name,
          [&target, range](const std::string& text) {
            target = static_cast<Target>(*whole_number(text, range));
          },
          help)
      ->check([range](const std::string& text) {
        return whole_number(text, range) ? std::string() : not_in(range, text);
      })
      ->type_name("N")
      ->default_str(shown(target));
}

bool is_address(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return false;
  const auto host = text.substr(0, colon);
  if (!whole_number(std::string_view(text).substr(colon + 1), {0, 65535})) return false;
  in6_addr parsed;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    return inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &parsed) == 1;
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1;
}

void add_listen(CLI::App& to, config& settings) {
  to.add_option("--listen", settings.listen, "Address to serve; may be given several times")
      ->check([](const std::string& text) {
        return is_address(text) ? std::string()
                                : "'" + text + "' is not like 127.0.0.1:8080 or [::1]:8080";
      })
      ->type_name("ADDRESS:PORT")
      ->capture_default_str()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// Every setting of the server as an option, written to `settings` as it is parsed.
void add_serve_options(CLI::App& to, config& settings) {
  add_listen(to, settings);
  add_number(to, "--threads", settings.threads, {1, 256}, "Threads")->default_str("one a CPU");
  add_number(to, "--spare-threads-max", settings.spare_threads_max, {0, 1024},
             "More threads, for handlers that are stuck");
  add_number(to, "--max-sessions", settings.sessions_max, {1, 10'000'000}, "Connections at once");

  auto& limits = settings.limits;
  constexpr std::uint64_t gib = 1024ull * 1024 * 1024;
  add_number(to, "--request-line-bytes-max", limits.request_line_bytes_max, {16, 65536},
             "Longest request line (414)");
  add_number(to, "--head-bytes-max", limits.head_bytes_max, {64, 65536}, "Largest head (431)");
  add_number(to, "--fields-max", limits.fields_max, {1, 16384}, "Field lines in a head (431)");
  add_number(to, "--field-name-bytes-max", limits.field_name_bytes_max, {17, 65536},
             "Longest field name (431)");
  add_number(to, "--chunk-extension-bytes-max", limits.chunk_extension_bytes_max, {0, gib},
             "Chunk extensions of a message (413)");
  add_number(to, "--trailer-bytes-max", limits.trailer_bytes_max, {2, gib},
             "Largest trailer section (431)");
  add_number(to, "--trailer-fields-max", limits.trailer_fields_max, {0, 16384},
             "Field lines in a trailer section (431)");
  add_number(to, "--content-bytes-max", limits.content_bytes_max, {0, 1024 * gib},
             "Largest content of a request (413)");
  add_number(to, "--leading-empty-lines-max", limits.leading_empty_lines_max, {0, 100},
             "Empty lines before a request line (400)");

  constexpr number_range deadline{1, deadline_ms_max};
  add_number(to, "--head-deadline-ms", settings.deadlines.head, deadline,
             "From a request's first byte to the end of its head (408)");
  add_number(to, "--idle-deadline-ms", settings.deadlines.idle, deadline,
             "Without a request; then the connection is closed");
  add_number(to, "--linger-deadline-ms", settings.deadlines.linger, deadline,
             "How long a closing connection is still read");
}

// One line, however many CLI11 has.
command_line refuse(const std::string& command, std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::cerr << command << ": " << what << '\n';
  return {.exit_code = exit_usage};
}

}  // namespace

command_line parse(int count, const char* const* arguments) {
  CLI::App app("Bulkhead, an HTTP/1.1 server in which every connection is an actor", "bulkhead");
  app.set_version_flag("--version", "bulkhead " BULKHEAD_VERSION);
  command_line result;
  auto& serve = *app.add_subcommand("serve", "Serve the demo until SIGTERM or SIGINT");
  add_serve_options(serve, result.settings);
  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& wish) {  // --help, --version
    return {.exit_code = app.exit(wish)};
  } catch (const CLI::ParseError& wrong) {
    return refuse(serve.count() > 0 ? "bulkhead serve" : "bulkhead", wrong.what());
  }
  if (serve.count() == 0) return refuse("bulkhead", "no command; bulkhead --help lists them");
  return result;
}

}  // namespace bulkhead::cli
