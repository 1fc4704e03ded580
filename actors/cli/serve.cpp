#include "actors/cli/serve.hpp"

#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "actors/cli/command_line.hpp"
#include "actors/cli/demo.hpp"

namespace bulkhead::cli {
namespace {

// Before anyone can have read our address and send one: run() takes them.
void block_end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader of our output that goes away must not end the server.
  signal(SIGPIPE, SIG_IGN);
}

constexpr std::string_view unix_prefix = "unix:";

void announce(const server& running, const config& settings) {
  const std::string_view path = settings.root.empty() ? "/hello" : "/";
  const auto addresses = running.addresses();
  for (const std::string_view address : addresses)
    std::cout << "listening on " << (address.starts_with(unix_prefix) ? "" : "http://") << address
              << '\n';
  const std::string_view first = addresses.front();
  if (first.starts_with(unix_prefix))
    std::cout << "try: curl --unix-socket '" << first.substr(unix_prefix.size())
              << "' http://localhost" << path << '\n';
  else
    std::cout << "try: curl http://" << first << path << '\n';
  if (const auto admin = running.admin_address(); !admin.empty())
    std::cout << "admin on http://" << admin << "/metrics\n";
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

// The demo can be told to block, to burn CPU and to fail: nothing to have beside files
// that somebody means to publish.
void add_routes(server& to, const std::string& root) {
  if (root.empty())
    add_demo(to);
  else
    to.get("/{path...}", files(root));
}

int failed(const std::string& message, int exit_code) {
  std::cerr << "bulkhead serve: " << message << '\n';
  return exit_code;
}

}  // namespace

int serve(const config& settings) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("bulkhead"));
  block_end_signals();
  warn_of_unused_sockets(settings);
  server demo(settings);
  try {
    add_routes(demo, settings.root);
    demo.start();
  } catch (const std::invalid_argument& wrong) {
    return failed(wrong.what(), exit_usage);
  } catch (const std::system_error& wrong) {
    return failed(wrong.what(), 1);
  }
  announce(demo, settings);
  demo.run();
  return 0;
}

}  // namespace bulkhead::cli
