#include "sandbox/zygote/world.hpp"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "sandbox/landlock.hpp"
#include "sandbox/zygote/worker.hpp"

namespace bulkhead::sandbox::zygote {
namespace {

std::vector<std::string> split(std::string_view paths) {
  std::vector<std::string> all;
  while (!paths.empty()) {
    const auto one = paths.substr(0, paths.find(':'));
    if (one.size() > 1 && one.front() == '/') all.emplace_back(one);
    paths.remove_prefix(one.size() == paths.size() ? one.size() : one.size() + 1);
  }
  return all;
}

// Whether `attempt`, in a process of its own that is cloned with `flags`, returns true.
template <class Attempt>
bool works(unsigned long flags, const Attempt& attempt) {
  const auto child = syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) _exit(attempt() ? 0 : 1);
  int status = -1;
  return child > 0 && waitpid(static_cast<pid_t>(child), &status, 0) == child && status == 0;
}

void measure(world& self) {
  // What the system does not tell is guessed generously: it is memory that no guest can use.
  unsigned long pages = 16384, resident = 0, shared = 0, text = 0, library = 0, data = 1024;
  if (auto* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%lu %lu %lu %lu %lu %lu", &pages, &resident, &shared, &text, &library,
                    &data) != 6)
      data = 1024;
    static_cast<void>(std::fclose(file));
  }
  self.address_bytes = pages * 4096;
  self.data_bytes = data * 4096;
}

void find_thread_id(world& self) {
  int* address = nullptr;
  if (prctl(PR_GET_TID_ADDRESS, &address) == 0 && address && *address == getpid())
    self.thread_id = address;
}

}  // namespace

world make_world(const wire::setup& wanted) {
  const auto without = layers::of_bits(wanted.without);
  world self;
  self.libraries = split(wanted.libraries);
  self.uid_first = wanted.uid_first;
  self.uid_count = wanted.uid_count == 0 ? 1 : wanted.uid_count;
  measure(self);
  find_thread_id(self);
  if (!without.has(layer::seccomp) && has_seccomp()) {
    self.loading = loading_filter();
    self.serving = serving_filter();
    if (!self.loading.empty() && !self.serving.empty()) self.held.add(layer::seccomp);
  }
  if (!without.has(layer::landlock) && landlock_version() > 0) self.held.add(layer::landlock);

  enter_namespaces(without, self.held);
  if (self.held.has(layer::own_root)) {
    self.guests_fd = enter_own_root(self.libraries);
    if (self.guests_fd < 0) self.held = self.held.without({layer::own_root});
  }
  if (!without.has(layer::pid_namespace) && works(CLONE_NEWPID, [] { return getpid() == 1; }))
    self.held.add(layer::pid_namespace);
  if (!without.has(layer::own_user) && self.uid_first != 0 &&
      works(0, [&] { return become(self.uid_first + self.uid_count - 1); }))
    self.held.add(layer::own_user);
  return self;
}

}  // namespace bulkhead::sandbox::zygote
