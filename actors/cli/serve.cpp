#include "actors/cli/serve.hpp"

#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "actors/cli/command_line.hpp"
#include "actors/cli/demo.hpp"

namespace bulkhead::cli {
namespace {

// Threads that start later inherit the mask, so the signal can only be taken by sigwait below.
sigset_t block_end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A reader of our output that goes away must not end the server.
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

void announce(const server& running) {
  const auto addresses = running.addresses();
  for (const auto& address : addresses) std::cout << "listening on http://" << address << '\n';
  if (!addresses.empty()) std::cout << "try: curl http://" << addresses.front() << "/hello\n";
  std::cout << std::flush;
}

// A setting is named head_bytes_max, its option --head-bytes-max.
std::string as_option(std::string message) {
  const auto end = std::min(message.find_first_of(" :"), message.size());
  std::replace(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
  return "--" + message;
}

int failed(const std::string& message, int exit_code) {
  std::cerr << "bulkhead serve: " << message << '\n';
  return exit_code;
}

}  // namespace

int serve(const config& settings) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("bulkhead"));
  const auto signals = block_end_signals();
  server demo(settings);
  add_demo(demo);
  try {
    demo.start();
  } catch (const std::invalid_argument& wrong) {
    return failed(as_option(wrong.what()), exit_usage);
  } catch (const std::system_error& wrong) {
    return failed(wrong.what(), 1);
  }
  announce(demo);
  int signal_number = 0;
  sigwait(&signals, &signal_number);
  demo.stop();
  return 0;
}

}  // namespace bulkhead::cli
