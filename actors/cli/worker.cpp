#include "actors/cli/worker.hpp"

#include <malloc.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <future>
#include <system_error>
#include <utility>

#include "actors/cli/demo.hpp"
#include "actors/cli/notify.hpp"
#include "actors/cli/signals.hpp"

namespace bulkhead::cli {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto patience = 1s;  // with handlers that should have returned

// The demo can be told to block, to burn CPU and to fail: nothing to have beside files
// and handlers that somebody means to publish.
void add_routes(server& to, const config& settings) {
  if (!settings.root.empty())
    to.get("/{path...}", files(settings.root));
  else if (settings.handlers.empty())
    add_demo(to);
}

// Whether what was read is in force.
bool reload(server& running, const command_line& asked, config& current) {
  auto loaded = load_config(asked.file, asked.flags);
  if (!log_faults(loaded)) return false;
  try {
    for (const auto& name : running.reload(loaded.settings))
      spdlog::warn("reload: {} counts at the next start", name);
    current = std::move(loaded.settings);
    spdlog::info("reload: done");
    return true;
  } catch (const std::exception& wrong) {
    spdlog::error("reload: {}", wrong.what());
    return false;
  }
}

void end(server& running, std::chrono::milliseconds drain_deadline, signals& told) {
  auto drained = std::async(std::launch::async, [&] { running.drain(); });
  std::future<void> stopped;
  auto until = steady::now() + drain_deadline + patience;
  while (drained.wait_for(10ms) != std::future_status::ready) {
    const int number = told.take();
    if (!stopped.valid() && (number == SIGTERM || number == SIGINT)) {
      stopped = std::async(std::launch::async, [&] { running.stop(); });
      until = std::min(until, steady::now() + patience);
    }
    if (steady::now() < until) continue;
    spdlog::error("handlers have not returned: ending without them");
    ::_exit(1);
  }
}

// glibc moves its threshold up with every large block that is freed, to 32 MiB, and what lies below
// is kept: a few large answers would stay resident, once for each arena. One that is set stays.
void give_large_blocks_back() {
  constexpr int bytes = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, bytes);
}

}  // namespace

bool log_faults(const loaded_config& loaded) {
  for (const auto& error : loaded.errors) spdlog::error("reload: {}", error);
  if (!loaded.errors.empty()) spdlog::error("reload: the settings stay as they were");
  return loaded.errors.empty();
}

void work(const command_line& asked, config settings, actors::listening sockets,
          const std::function<void()>& ready, const std::function<void()>& reloaded,
          worker_role role) {
  give_large_blocks_back();
  server running(settings);
  add_routes(running, settings);
  running.start(std::move(sockets), role == worker_role::next);
  signals told(role != worker_role::alone);
  ready();
  for (int number = 0; number != SIGTERM && number != SIGINT;) {
    number = told.wait(signals::forever);
    if (number == SIGHUP && reload(running, asked, settings)) reloaded();
  }
  notify("STOPPING=1");
  end(running, settings.deadlines.drain, told);
}

}  // namespace bulkhead::cli
