#include "sandbox/wasm/tool_filter.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace bulkhead::sandbox {
namespace {

// A list of what is refused, not of what is allowed: a compiler's own list is long, and another one
// with its next version.
constexpr unsigned refused_calls[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_process_madvise,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_kcmp,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_fanotify_init,
    SYS_memfd_create,  // files that Landlock does not know, to be executed
    SYS_shmget,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
};

constexpr std::uint32_t new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t first_of_x32 = 0x40000000;

constexpr sock_filter statement(unsigned code, std::uint32_t value) {
  return {static_cast<std::uint16_t>(code), 0, 0, value};
}
// Skips so many of the next steps if it holds, or if it does not.
constexpr sock_filter jump(unsigned how, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return {static_cast<std::uint16_t>(BPF_JMP | how | BPF_K), yes, no, value};
}
constexpr sock_filter load(std::size_t at) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(at));
}
constexpr sock_filter leave_with(std::uint32_t action) {
  return statement(BPF_RET | BPF_K, action);
}

constexpr auto make_filter() {
  std::array<sock_filter, 2 * std::size(refused_calls) + 13> all{};
  std::size_t next = 0;
  const auto add = [&](sock_filter one) { all[next++] = one; };
  add(load(offsetof(seccomp_data, arch)));
  add(jump(BPF_JEQ, own_architecture, 1, 0));
  add(leave_with(SECCOMP_RET_KILL_PROCESS));
  add(load(offsetof(seccomp_data, nr)));
  add(jump(BPF_JGE, first_of_x32, 0, 1));
  add(leave_with(SECCOMP_RET_KILL_PROCESS));
  for (const auto number : refused_calls) {
    add(jump(BPF_JEQ, number, 0, 1));
    add(leave_with(SECCOMP_RET_ERRNO | EPERM));
  }
  // Its flags lie in memory, where a filter cannot look: the C library then takes clone().
  add(jump(BPF_JEQ, SYS_clone3, 0, 1));
  add(leave_with(SECCOMP_RET_ERRNO | ENOSYS));
  add(jump(BPF_JEQ, SYS_clone, 0, 3));
  add(load(offsetof(seccomp_data, args)));  // the lower half of the flags
  add(jump(BPF_JSET, new_namespaces, 0, 1));
  add(leave_with(SECCOMP_RET_ERRNO | EPERM));
  add(leave_with(SECCOMP_RET_ALLOW));
  return all;
}

constexpr auto tool_filter = make_filter();
static_assert(tool_filter.back().code == (BPF_RET | BPF_K));

}  // namespace

bool refuse_what_no_tool_needs() {
  const sock_fprog whole{tool_filter.size(), const_cast<sock_filter*>(tool_filter.data())};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole) == 0;
}

}  // namespace bulkhead::sandbox
