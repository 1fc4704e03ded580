#include "actors/cli/serve.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "actors/cli/error_log.hpp"
#include "actors/cli/notify.hpp"
#include "actors/cli/signals.hpp"
#include "actors/cli/supervisor.hpp"
#include "actors/cli/worker.hpp"

namespace bulkhead::cli {
namespace {

constexpr std::string_view unix_prefix = "unix:";

void announce(const std::vector<std::string>& addresses, const std::string& admin,
              std::string_view path) {
  for (const std::string_view address : addresses)
    std::cout << "listening on " << (address.starts_with(unix_prefix) ? "" : "http://") << address
              << '\n';
  const std::string_view first = addresses.front();
  if (first.starts_with(unix_prefix))
    std::cout << "try: curl --unix-socket '" << first.substr(unix_prefix.size())
              << "' http://localhost" << path << '\n';
  else
    std::cout << "try: curl http://" << first << path << '\n';
  if (!admin.empty()) std::cout << "admin on http://" << admin << "/metrics\n";
  std::cout << std::flush;
}

// Whoever set up sockets for us expects them to be used.
void warn_of_unused_sockets(const config& settings) {
  const auto& listen = settings.listen;
  const char* pid = std::getenv("LISTEN_PID");
  if (!pid || pid != std::to_string(::getpid())) return;
  if (std::find(listen.begin(), listen.end(), "systemd") == listen.end())
    spdlog::warn("the sockets of LISTEN_FDS are not used: listen does not name systemd");
}

int failed(const std::string& message, int exit_code) {
  std::cerr << "bulkhead serve: " << message << '\n';
  return exit_code;
}

}  // namespace

int serve(const command_line& asked) try {
  log_to_stderr();
  block_signals();
  warn_of_unused_sockets(asked.settings);
  auto sockets = actors::open_listening(asked.settings);
  std::vector<std::string> addresses;
  for (const auto& each : sockets.service) addresses.push_back(each.address);
  const auto admin = sockets.admin.empty() ? std::string() : sockets.admin.front().address;
  const std::string_view path = asked.settings.root.empty() ? "/hello" : "/";
  if (asked.supervised)
    return supervisor(asked, std::move(sockets)).run([&] { announce(addresses, admin, path); });
  work(asked, asked.settings, std::move(sockets), [&] {
    announce(addresses, admin, path);
    notify("READY=1");
  });
  return 0;
} catch (const std::invalid_argument& wrong) {
  return failed(wrong.what(), exit_usage);
} catch (const std::system_error& wrong) {
  return failed(wrong.what(), 1);
}

}  // namespace bulkhead::cli
