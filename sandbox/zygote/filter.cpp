#include "sandbox/zygote/filter.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <memory>

#include "sandbox/zygote/worker.hpp"

namespace bulkhead::sandbox::zygote {
namespace {

using context = std::unique_ptr<void, decltype(&seccomp_release)>;

// No process has it: above the kernel's PID_MAX_LIMIT.
constexpr std::uint32_t own_pid_placeholder = 0x7b0c4ead;

// Not refused but ended: nobody calls these by mistake.
constexpr const char* deadly[] = {"ptrace",
                                  "bpf",
                                  "mount",
                                  "umount2",
                                  "pivot_root",
                                  "chroot",
                                  "unshare",
                                  "setns",
                                  "move_mount",
                                  "open_tree",
                                  "fsopen",
                                  "fsmount",
                                  "mount_setattr",
                                  "io_uring_setup",
                                  "io_uring_enter",
                                  "io_uring_register",
                                  "process_vm_readv",
                                  "process_vm_writev",
                                  "process_madvise",
                                  "pidfd_getfd",
                                  "kexec_load",
                                  "init_module",
                                  "finit_module",
                                  "delete_module",
                                  "perf_event_open",
                                  "userfaultfd",
                                  "open_by_handle_at",
                                  "keyctl",
                                  "add_key",
                                  "request_key"};

constexpr const char* harmless[] = {"futex",
                                    "munmap",
                                    "brk",
                                    "madvise",
                                    "exit",
                                    "exit_group",
                                    "rt_sigaction",
                                    "rt_sigprocmask",
                                    "rt_sigreturn",
                                    "sigaltstack",
                                    "clock_gettime",
                                    "clock_getres",
                                    "clock_nanosleep",
                                    "nanosleep",
                                    "gettimeofday",
                                    "time",
                                    "getpid",
                                    "gettid",
                                    "getrandom",
                                    "sched_yield",
                                    "restart_syscall"};

// Conditions on an argument, counted from 0.
scmp_arg_cmp equal(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

bool rule(const context& to, std::uint32_t action, const char* name,
          std::initializer_list<scmp_arg_cmp> arguments = {}) {
  const int number = seccomp_syscall_resolve_name(name);
  // Unknown to this libseccomp: what is not named is refused.
  if (number < 0) return true;
  return seccomp_rule_add_array(to.get(), action, number, static_cast<unsigned>(arguments.size()),
                                arguments.begin()) == 0;
}

bool add_serving_rules(const context& to) {
  bool good = true;
  for (const auto* name : deadly) good = good && rule(to, SCMP_ACT_KILL_PROCESS, name);
  for (const auto* name : harmless) good = good && rule(to, SCMP_ACT_ALLOW, name);
  // glibc then falls back to clone, which is refused.
  good = good && rule(to, SCMP_ACT_ERRNO(ENOSYS), "clone3");
  good = good && rule(to, SCMP_ACT_ALLOW, "write", {equal(0, doorbell_fd)});
  good = good && rule(to, SCMP_ACT_ALLOW, "tgkill", {equal(0, own_pid_placeholder)});
  good = good && rule(to, SCMP_ACT_ALLOW, "mmap",
                      {masked(2, PROT_EXEC, 0),
                       masked(3, MAP_TYPE | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS)});
  return good && rule(to, SCMP_ACT_ALLOW, "mprotect", {masked(2, PROT_EXEC, 0)});
}

bool add_loading_rules(const context& to) {
  constexpr std::uint64_t not_reading = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_DIRECTORY;
  bool good = true;
  for (const auto* name : {"read", "pread64", "close", "fstat", "newfstatat"})
    good = good && rule(to, SCMP_ACT_ALLOW, name);
  good = good && rule(to, SCMP_ACT_ALLOW, "openat", {masked(2, not_reading, O_RDONLY)});
  // Files: private, and executable only while they are not writable.
  good = good && rule(to, SCMP_ACT_ALLOW, "mmap",
                      {masked(2, PROT_EXEC, 0), masked(3, MAP_TYPE, MAP_PRIVATE)});
  good = good && rule(to, SCMP_ACT_ALLOW, "mmap",
                      {masked(2, PROT_EXEC | PROT_WRITE, PROT_EXEC),
                       masked(3, MAP_TYPE | MAP_ANONYMOUS, MAP_PRIVATE)});
  return good && rule(to, SCMP_ACT_ALLOW, "seccomp", {equal(0, SECCOMP_SET_MODE_FILTER)});
}

program exported(const context& from) {
  const int file = static_cast<int>(memfd_create("filter", MFD_CLOEXEC));
  struct stat size = {};
  program code;
  if (file >= 0 && seccomp_export_bpf(from.get(), file) == 0 && fstat(file, &size) == 0) {
    code.resize(static_cast<std::size_t>(size.st_size) / sizeof(sock_filter));
    if (pread(file, code.data(), code.size() * sizeof(sock_filter), 0) != size.st_size)
      code.clear();
  }
  if (file >= 0) close(file);
  return code;
}

program built(bool is_loading) {
  const context filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), &seccomp_release);
  if (!filter || !add_serving_rules(filter)) return {};
  if (is_loading && !add_loading_rules(filter)) return {};
  return exported(filter);
}

}  // namespace

program loading_filter() {
  return built(true);
}
program serving_filter() {
  return built(false);
}

bool install(program filter) {
  for (auto& step : filter)
    if (step.k == own_pid_placeholder && BPF_CLASS(step.code) == BPF_JMP)
      step.k = static_cast<std::uint32_t>(getpid());
  const sock_fprog whole{static_cast<unsigned short>(filter.size()), filter.data()};
  return !filter.empty() && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole) == 0;
}

bool has_seccomp() {
  // A filter at address 0: EFAULT where filters exist, EINVAL or ENOSYS where they do not.
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, nullptr) < 0 && errno == EFAULT;
}

}  // namespace bulkhead::sandbox::zygote
