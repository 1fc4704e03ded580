#include "sandbox/zygote/worker.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "sandbox/landlock.hpp"
#include "sandbox/process/shared_memory.hpp"
#include "sandbox/zygote/crash.hpp"

namespace bulkhead::sandbox::zygote {
namespace {

constexpr int object_fd = 4;
// For the libraries that a guest loads.
constexpr std::uint64_t address_bytes_spare = 64ull << 20;

// Exactly the doorbell and the object are left; the control socket stays open for one more look.
// They are moved through numbers above all of theirs, since those may be any.
void arrange_descriptors(const birth& own, int& control) {
  const int above = std::max({own.doorbell, own.object, own.control, own.memory, 8}) + 1;
  const int doorbell = fcntl(own.doorbell, F_DUPFD, above);
  const int object = fcntl(own.object, F_DUPFD, above);
  control = fcntl(own.control, F_DUPFD, above);
  dup2(doorbell, doorbell_fd);
  dup2(object, object_fd);
  dup2(control, object_fd + 1);
  control = object_fd + 1;
  close_range(object_fd + 2, ~0u, 0);
  close_range(0, 2, 0);
}

std::byte* map_memory(const wire::order& order, int memory) {
  const shared_layout layout{order.request_bytes_max, order.response_bytes_max,
                             order.log_bytes_max};
  auto* mapped = mmap(nullptr, layout.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

bool limit(__rlimit_resource what, std::uint64_t value) {
  const rlimit both{value, value};
  return setrlimit(what, &both) == 0;
}

bool set_limits(const world& self, const wire::order& order) {
  const shared_layout layout{order.request_bytes_max, order.response_bytes_max,
                             order.log_bytes_max};
  return limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, 16) && limit(RLIMIT_FSIZE, 0) &&
         limit(RLIMIT_NPROC, 1) && limit(RLIMIT_STACK, order.stack_bytes_max) &&
         limit(RLIMIT_CPU, order.cpu_seconds_max) &&
         limit(RLIMIT_DATA, self.data_bytes + order.memory_bytes_max) &&
         limit(RLIMIT_AS, self.address_bytes + order.memory_bytes_max + layout.bytes() +
                              order.stack_bytes_max + address_bytes_spare + symbols_bytes_max);
}

// The server may have gone before the signal was asked for.
bool server_lives(int control) {
  char any = 0;
  const auto got = recv(control, &any, 1, MSG_PEEK | MSG_DONTWAIT);
  return got != 0;
}

void confine_files(const world& self, const birth& own) {
  if (!self.held.has(layer::landlock)) return;
  auto readable = self.libraries;
  if (!own.guest.empty()) readable.push_back(own.guest);
  if (!landlock(readable)) _exit(no_landlock);
}

}  // namespace

bool drop_capabilities() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return syscall(SYS_capset, &head, none) == 0;
}

bool become(std::uint32_t id) {
  return setgroups(0, nullptr) == 0 && setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0 &&
         drop_capabilities();
}

void live(const world& self, const birth& own) {
  signal(SIGPIPE, SIG_DFL);  // all others have their default, and none is blocked
  auto* memory = map_memory(own.order, own.memory);
  if (!memory) _exit(no_memory_map);
  int control = -1;
  arrange_descriptors(own, control);
  prctl(PR_SET_NAME, "bulkhead-worker");

  const bool is_other = !self.held.has(layer::own_user)
                            ? drop_capabilities()
                            : become(self.uid_first + own.order.serial % self.uid_count);
  if (!is_other) _exit(no_user);
  // Only now: a change of the user clears it.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || !server_lives(control)) _exit(0);
  close(control);
  if (!own.guest.empty()) close(object_fd);
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || !set_limits(self, own.order) ||
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    _exit(no_limits);
  confine_files(self, own);
  const bool is_filtered = self.held.has(layer::seccomp);
  if (is_filtered && !install(self.loading)) _exit(no_filter);
  serve(own.order, memory, own.guest.empty() ? "/proc/self/fd/4" : own.guest,
        is_filtered ? self.serving : program{});
}

}  // namespace bulkhead::sandbox::zygote
