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

#include "actors/cli/address.hpp"
#include "actors/cli/error_log.hpp"
#include "actors/cli/notify.hpp"
#include "actors/cli/signals.hpp"
#include "actors/cli/supervisor.hpp"
#include "actors/cli/worker.hpp"

namespace bulkhead::cli {
namespace {

struct announced {
  std::vector<std::string> plain;
  std::vector<std::string> secure;
  std::string admin;
};

announced addresses_of(const actors::listening& sockets) {
  announced all;
  for (const auto& each : sockets.service) all.plain.push_back(each.address);
  for (const auto& each : sockets.secure) all.secure.push_back(each.address);
  if (!sockets.admin.empty()) all.admin = sockets.admin.front().address;
  return all;
}

void announce(const std::string& scheme, const std::vector<std::string>& addresses) {
  for (const std::string_view address : addresses)
    std::cout << "listening on " << (address.starts_with(unix_prefix) ? "" : scheme) << address
              << '\n';
}

void announce(const announced& all, std::string_view path) {
  announce("http://", all.plain);
  announce("https://", all.secure);
  const auto& first = all.plain.empty() ? all.secure.front() : all.plain.front();
  if (first.starts_with(unix_prefix))
    std::cout << "try: curl --unix-socket '" << first.substr(unix_prefix.size())
              << "' http://localhost" << path << '\n';
  else
    std::cout << "try: curl " << (all.plain.empty() ? "--insecure https://" : "http://") << first
              << path << '\n';
  if (!all.admin.empty()) std::cout << "admin on http://" << all.admin << "/metrics\n";
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
  const auto addresses = addresses_of(sockets);
  const std::string_view path = asked.settings.root.empty() ? "/hello" : "/";
  if (asked.supervised)
    return supervisor(asked, std::move(sockets)).run([&] { announce(addresses, path); });
  const auto ready = [&] {
    announce(addresses, path);
    notify("READY=1");
  };
  work(
      asked, asked.settings, std::move(sockets), ready, [] {}, worker_role::alone);
  return 0;
} catch (const std::invalid_argument& wrong) {
  return failed(wrong.what(), exit_usage);
} catch (const std::system_error& wrong) {
  return failed(wrong.what(), 1);
}

}  // namespace bulkhead::cli
