#include "sandbox/process/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

#include "sandbox/process/wire.hpp"

asm(R"(
.pushsection .rodata
.global bulkhead_zygote_begin
.global bulkhead_zygote_end
.hidden bulkhead_zygote_begin
.hidden bulkhead_zygote_end
bulkhead_zygote_begin:
.incbin ")" BULKHEAD_ZYGOTE_FILE R"("
bulkhead_zygote_end:
.popsection
)");

extern "C" const char bulkhead_zygote_begin[];
extern "C" const char bulkhead_zygote_end[];

namespace bulkhead::sandbox {
namespace {

constexpr unsigned mfd_exec = 0x0010;  // Linux 6.3: says that it is meant

descriptor make_program_file() {
  descriptor file(memfd_create("bulkhead-zygote", MFD_CLOEXEC | mfd_exec));
  if (!file) file = descriptor(memfd_create("bulkhead-zygote", MFD_CLOEXEC));
  const auto size = static_cast<std::size_t>(bulkhead_zygote_end - bulkhead_zygote_begin);
  for (std::size_t at = 0; file && at < size;) {
    const auto written = write(file.get(), bulkhead_zygote_begin + at, size - at);
    if (written <= 0) return {};
    at += static_cast<std::size_t>(written);
  }
  return file;
}

// Between fork and exec of a process with threads: system calls only.
[[noreturn]] void become_zygote(int program, int control, int nothing) {
  for (int number = 1; number < 65; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // Out of the way of 0 to 3 first.
  control = fcntl(control, F_DUPFD, 16);
  program = fcntl(program, F_DUPFD_CLOEXEC, 16);
  nothing = fcntl(nothing, F_DUPFD, 16);
  for (int standard = 0; standard < 3; ++standard) dup2(nothing, standard);
  dup2(control, wire::control_fd);
  syscall(SYS_close_range, wire::control_fd + 1, program - 1, 0);
  syscall(SYS_close_range, program + 1, ~0u, 0);
  char name[] = "bulkhead-zygote";
  char* arguments[] = {name, nullptr};
  char* environment[] = {nullptr};
  syscall(SYS_execveat, program, "", arguments, environment, AT_EMPTY_PATH);
  _exit(127);
}

}  // namespace

pid_t run_zygote_program(const descriptor& control) {
  const auto program = make_program_file();
  const descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!program || !nothing) return -errno;
  const auto child = fork();
  if (child == 0) become_zygote(program.get(), control.get(), nothing.get());
  return child > 0 ? child : -errno;
}

}  // namespace bulkhead::sandbox
