// A guest whose constructor does one deed while it is loaded; compiled once for each.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include "sandbox/bulkhead_guest.hpp"
#include "tests/sandbox/guests/deed.hpp"

namespace {

const char* answer = "loaded";
void said(long result) {
  answer = result >= 0 ? "succeeded" : strerrorname_np(errno);
}

[[gnu::constructor]] void act() {
#if defined(DEED_crash)
  *hostile::opaque<int*>(nullptr) = 1;
#elif defined(DEED_loop)
  for (;;) hostile::barrier();
#elif defined(DEED_exit)
  _exit(7);
#elif defined(DEED_fork)
  said(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
#elif defined(DEED_read_file)
  said(open("/etc/passwd", O_RDONLY));
#elif defined(DEED_connect)
  said(socket(AF_INET, SOCK_STREAM, 0));
#elif defined(DEED_patient)
  const timespec some{0, 300'000'000};
  nanosleep(&some, nullptr);
#elif defined(DEED_throw)
  throw std::runtime_error("while it was loaded");
#elif defined(DEED_own_filter)
  // Makes the worker believe that its second filter was installed.
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog whole{4, code};
  said(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole));
#endif
}

[[maybe_unused]] void handle(const bulkhead::guest::request& from, bulkhead::guest::response& to) {
  if (from.target() == "/open") said(open("/etc/passwd", O_RDONLY));
  if (from.target() == "/fork") said(fork());
  to.content(answer);
}

}  // namespace

#if !defined(DEED_no_handler)
BULKHEAD_HANDLER(handle)
#endif
