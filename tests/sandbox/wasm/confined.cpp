// What a tool that was taken over could reach.
#include "sandbox/wasm/confined.hpp"

#include <linux/sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "sandbox/landlock.hpp"
#include "tests/sandbox/house.hpp"

namespace {

using namespace bulkhead::sandbox;
using namespace std::chrono_literals;

struct folder {
  folder() { REQUIRE(mkdtemp(path.data())); }
  ~folder() { std::filesystem::remove_all(path); }
  std::string path = std::string(BULKHEAD_WASM_CACHE) + "-XXXXXX";
};

confined_run shell(const std::string& command, const std::string& where,
                   std::chrono::nanoseconds time_max = 20s) {
  return run_confined({"/bin/bash", "-c", command}, {where, time_max});
}

TEST_CASE("a confined tool works in its folder", "[sandbox][wasm]") {
  const folder here;
  const auto said = shell("echo written > a && cat a && echo wrong >&2", here.path);
  CHECK(said.succeeded);
  CHECK(said.output == "written\nwrong\n");
  CHECK(std::filesystem::exists(here.path + "/a"));
  CHECK_FALSE(shell("exit 3", here.path).succeeded);
  // Whose output is at its end before himself.
  CHECK(shell("exec >&- 2>&-; sleep 0.1; echo late > b", here.path).succeeded);
  CHECK(std::filesystem::exists(here.path + "/b"));
  CHECK_FALSE(run_confined({"/no/such/tool"}, {here.path, 20s}).succeeded);
}

TEST_CASE("a confined tool reaches nothing else", "[sandbox][wasm]") {
  if (landlock_version() == 0) {
    WARN("no Landlock here: not tried");
    return;
  }
  const folder here, other;
  CHECK_FALSE(shell("cat /etc/passwd", here.path).succeeded);
  CHECK_FALSE(shell("echo x > " + other.path + "/b", here.path).succeeded);
  CHECK(std::filesystem::is_empty(other.path));
  const auto tried = shell("echo x > /dev/tcp/127.0.0.1/9", here.path);
  CHECK_FALSE(tried.succeeded);
  CHECK(tried.output.find("refused") == std::string::npos);
  // No capabilities, even of root; no environment of ours.
  CHECK_FALSE(shell("chown 1:1 " + here.path, here.path).succeeded);
  CHECK(shell("echo \"<$HOME>\"", here.path).output == "<>\n");
}

// What a system call says to a tool: its error's number, 0 for success.
int error_of(const std::string& call, const std::string& where) {
  std::ofstream(where + "/call.pl") << "print syscall(" << call << ") < 0 ? $!+0 : 0;\n";
  const auto said = run_confined({"/usr/bin/perl", "call.pl"}, {where, 20s});
  REQUIRE(said.succeeded);
  return std::stoi(said.output);
}

TEST_CASE("a confined tool is refused system calls that no tool needs", "[sandbox][wasm]") {
  const folder here;
  const auto number = [](long call) { return std::to_string(call) + ", "; };
  // The control: what a tool may do.
  CHECK(error_of(number(SYS_getpid) + "0", here.path) == 0);
  // Each would succeed, or fail for another reason.
  CHECK(error_of(number(SYS_socket) + "1, 1, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_socketpair) + "1, 1, 0, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_ptrace) + "0, 0, 0, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_process_vm_readv) + "1, 0, 0, 0, 0, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_unshare) + "0", here.path) == EPERM);
  CHECK(error_of(number(SYS_bpf) + "0, 0, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_userfaultfd) + "1", here.path) == EPERM);
  CHECK(error_of(number(SYS_io_uring_setup) + "1, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_keyctl) + "0, -3, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_perf_event_open) + "0, 0, 0, 0, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_memfd_create) + "0, 0", here.path) == EPERM);
  CHECK(error_of(number(SYS_clone3) + "0, 0", here.path) == ENOSYS);
  CHECK(error_of(number(SYS_clone) + std::to_string(CLONE_NEWUSER | SIGCHLD) + ", 0, 0, 0, 0",
                 here.path) == EPERM);
  CHECK(shell("echo x > /dev/tcp/127.0.0.1/9", here.path).output.find("not permitted") !=
        std::string::npos);
}

bool runs(const std::string& argument) {
  for (const auto& each : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(each.path() / "cmdline");
    const std::string line(std::istreambuf_iterator<char>(file), {});
    if (line == "sleep" + std::string(1, '\0') + argument + std::string(1, '\0')) return true;
  }
  return false;
}

TEST_CASE("what a confined tool leaves running ends with it", "[sandbox][wasm]") {
  const folder here;
  if (shell("echo $$", here.path).output != "1\n") {
    WARN("no PID namespace here: not tried");
    return;
  }
  // In a session of its own, with nothing of ours open; the tool ends when it runs.
  const auto token = "99" + std::to_string(getpid());
  const auto said =
      shell(": > nothing; setsid sleep " + token + " < nothing > said 2>&1 & sleep 0.3; cat said",
            here.path);
  CHECK(said.succeeded);
  CHECK_FALSE(runs(token));
}

TEST_CASE("a confined tool has a time and an end to what it says", "[sandbox][wasm]") {
  const auto before = bulkhead::tests::count_belongings();
  const folder here;
  CHECK(shell("while :; do :; done", here.path, 100ms).output == "it took too long");
  CHECK(shell("sleep 1000 & sleep 1000", here.path, 100ms).output == "it took too long");
  const auto much = shell("for i in {1..20000}; do echo a line of it; done", here.path);
  CHECK(much.succeeded);
  CHECK(much.output.size() <= 8192);
  CHECK(bulkhead::tests::count_belongings() == before);
}

}  // namespace
