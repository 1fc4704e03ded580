// A server that dies takes its sandboxes with it, also those that never return.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::tests;
using namespace bulkhead::sandbox;

// Serves an endless request with each worker, and dies of SIGKILL.
[[noreturn]] void live_and_die(const process_settings& settings) {
  try {
    house here(settings);
    const auto id = here.add();
    here.settle(id);
    here.start(id, "/loop");
    here.start(id, "/sleep");
    here.run(std::chrono::milliseconds(50));
    kill(getpid(), SIGKILL);
  } catch (const std::exception&) {
  }
  _exit(1);
}

TEST_CASE("sandboxes end with a server that is killed", "[sandbox][orphans]") {
  process_settings settings;
  if (GENERATE(false, true)) settings.without = layers::all();
  // So that they come to us and not to a process that may not reap.
  REQUIRE(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  const auto server = fork();
  if (server == 0) live_and_die(settings);
  int status = 0;
  REQUIRE(waitpid(server, &status, 0) == server);
  CHECK(WIFSIGNALED(status));
  // Zygote and three workers; would wait for ever if one went on. The test program's time is
  // bounded.
  int reaped = 0;
  while (waitpid(-1, nullptr, 0) > 0) ++reaped;
  CHECK(reaped == 4);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
