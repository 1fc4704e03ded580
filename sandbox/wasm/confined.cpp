#include "sandbox/wasm/confined.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sandbox/descriptor.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/wasm/tool_filter.hpp"

namespace bulkhead::sandbox {
namespace {

using clock_type = std::chrono::steady_clock;
constexpr std::size_t output_bytes_max = 4096;

// Made before the fork: afterwards there are only system calls.
struct prepared {
  std::vector<char*> arguments;
  std::vector<std::string> readable{
      "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives"};
  std::vector<std::string> writable;
  std::string temporary;
  int output = -1;
};

void limit(__rlimit_resource_t which, std::uint64_t value) {
  const rlimit both{value, value};
  setrlimit(which, &both);
}

void set_limits(const confinement& limits) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(limits.time_max).count();
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(seconds));
  limit(RLIMIT_AS, limits.memory_bytes_max);
  limit(RLIMIT_FSIZE, limits.file_bytes_max);
  limit(RLIMIT_NOFILE, 64);
  limit(RLIMIT_CORE, 0);
}

void give_up_capabilities() {
  __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  syscall(SYS_capset, &head, none);
}

[[noreturn]] void become(const prepared& all, const confinement& limits) {
  for (int number = 1; number < 65; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 0);
  dup2(all.output, 1);
  dup2(all.output, 2);
  syscall(SYS_close_range, 3, ~0u, 0);
  if (chdir(limits.folder.c_str()) != 0) _exit(127);
  set_limits(limits);
  give_up_capabilities();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (landlock_version() > 0 && !landlock(all.readable, all.writable)) _exit(127);
  static_cast<void>(refuse_what_no_tool_needs());
  char path[] = "PATH=/usr/bin:/bin", language[] = "LC_ALL=C";
  char* environment[] = {path, language, const_cast<char*>(all.temporary.c_str()), nullptr};
  execve(all.arguments.front(), all.arguments.data(), environment);
  _exit(127);
}

struct child_process {
  pid_t id = -1;
  descriptor handle;  // readable when it has ended
};

// In namespaces of its own, where the child is the first process and all others end with it. An
// ordinary user gets them with a user namespace; who may have none gets a plain child. Not fork():
// it can't do that at once.
child_process fork_apart() {
  constexpr unsigned long apart = CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
  constexpr unsigned long always = CLONE_PIDFD | SIGCHLD;
  for (const auto flags : {apart, apart | CLONE_NEWUSER, 0ul}) {
    int handle = -1;
    const auto child = syscall(SYS_clone, flags | always, nullptr, &handle, nullptr, 0);
    if (child >= 0) return {static_cast<pid_t>(child), descriptor(child > 0 ? handle : -1)};
  }
  return {};
}

// False: the time is over.
bool wait_readable(int fd, clock_type::time_point end) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock_type::now()).count();
    pollfd one{fd, POLLIN, 0};
    const auto ready = poll(&one, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
    if (ready > 0) return true;
    if (ready == 0 && left <= 0) return false;
  }
}

// Until everybody closed it; false: the time is over.
bool read_all(int from, clock_type::time_point end, std::string& to) {
  char part[4096];
  while (wait_readable(from, end)) {
    const auto got = read(from, part, sizeof part);
    if (got <= 0) return got == 0;
    to.append(part, static_cast<std::size_t>(got));
    if (to.size() > 2 * output_bytes_max) to.erase(0, to.size() - output_bytes_max);
  }
  return false;
}

}  // namespace

confined_run run_confined(const std::vector<std::string>& arguments, const confinement& limits) {
  confined_run result;
  int both[2];
  if (pipe2(both, O_CLOEXEC) != 0) return {false, std::strerror(errno)};
  descriptor from(both[0]), to(both[1]);
  prepared all;
  for (const auto& one : arguments) all.arguments.push_back(const_cast<char*>(one.c_str()));
  all.arguments.push_back(nullptr);
  all.writable.push_back(limits.folder);
  all.temporary = "TMPDIR=" + limits.folder;
  all.output = to.get();
  const auto child = fork_apart();
  if (child.id == 0) become(all, limits);
  if (child.id < 0) return {false, std::strerror(errno)};
  setpgid(child.id, child.id);
  to.reset();
  const auto end = clock_type::now() + limits.time_max;
  // Who has closed his output may still have something to do.
  const bool ended =
      read_all(from.get(), end, result.output) && wait_readable(child.handle.get(), end);
  kill(-child.id, SIGKILL);
  if (!ended) kill(child.id, SIGKILL);
  int status = -1;
  pid_t reaped = 0;
  do reaped = waitpid(child.id, &status, 0);
  while (reaped < 0 && errno == EINTR);
  if (!ended) result.output = "it took too long";
  result.succeeded = ended && reaped == child.id && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return result;
}

}  // namespace bulkhead::sandbox
