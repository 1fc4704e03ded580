// Attempts to get out. Those that return answer what the system said: "0" or the name of the error.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>

#include "sandbox/process/shared_memory.hpp"
#include "tests/sandbox/guests/deed.hpp"

namespace hostile {
namespace {

using bulkhead::sandbox::shared_page;

constexpr int doorbell = 3;

void say(response& to, long result) {
  to.content(result >= 0 ? "0" : strerrorname_np(errno));
}

void fork_bomb(const request&, response& to) {
  int made = 0;
  for (int i = 0; i < 100; ++i)
    if (const auto child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
        child == 0)
      for (;;) pause();
    else if (child > 0)
      ++made;
  to.content(std::to_string(made));
}

void fork_plain(const request&, response& to) {
  say(to, fork());
}

void descriptor_leak(const request&, response& to) {
  long last = 0;
  for (int i = 0; i < 100 && last >= 0; ++i) last = dup(doorbell);
  say(to, last);
}

void open_file(const request& from, response& to) {
  const std::string path(from.content());
  say(to, open(path.c_str(), O_RDONLY));
}

void make_file(const request&, response& to) {
  say(to, open("/tmp/bulkhead-was-here", O_CREAT | O_WRONLY, 0600));
}

void open_socket(const request&, response& to) {
  say(to, socket(AF_INET, SOCK_STREAM, 0));
}
void open_unix(const request&, response& to) {
  say(to, socket(AF_UNIX, SOCK_DGRAM, 0));
}

void execute(const request&, response& to) {
  char shell[] = "/bin/sh";
  char* arguments[] = {shell, nullptr};
  say(to, execv(shell, arguments));
}

void kill_parent(const request&, response& to) {
  // Outside of a PID namespace it would be the server.
  say(to, kill(getppid(), SIGKILL));
}

void kill_everybody(const request&, response& to) {
  say(to, kill(-1, SIGKILL));
}

void kill_given(const request& from, response& to) {
  const auto whom = std::stoi(std::string(from.content()));
  say(to, syscall(SYS_tgkill, whom, whom, SIGKILL));
}

void trace(const request&, response& to) {
  say(to, ptrace(PTRACE_ATTACH, getppid(), 0, 0));
}

void mount_something(const request&, response& to) {
  say(to, syscall(SYS_mount, "none", "/", "tmpfs", 0, nullptr));
}

void executable_memory(const request&, response& to) {
  say(to,
      mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
          ? -1
          : 0);
}

void make_executable(const request&, response& to) {
  auto* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say(to, mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

void write_elsewhere(const request&, response& to) {
  say(to, write(1, "x", 1));
}

void cut_memory(const request&, response& to) {
  long worst = -1;
  for (int fd = 0; fd < 32; ++fd)
    if (ftruncate(fd, 0) == 0) worst = 0;
  say(to, worst);
}

void become_root(const request&, response& to) {
  say(to, setuid(0));
}

// --- the shared memory: its first page lies before log, request and response

shared_page* page() {
  // The settings of the tests: 64 KiB of request, 4 KiB of log.
  return reinterpret_cast<shared_page*>(response_room - (64 << 10) - 4096 - 4096);
}

void ring() {
  const std::uint64_t one = 1;
  static_cast<void>(!write(doorbell, &one, sizeof one));
}

void corrupt_numbers(const request&, response&) {
  auto* shared = page();
  shared->verdict = 2;  // response
  shared->response_bytes = 0xfffffff0;
  shared->log_bytes = 0x7fffffff;
  shared->detail_bytes = 0xffffffff;
  shared->done_number = shared->request_number.load();
  ring();
  for (;;) barrier();
}

void corrupt_everything(const request&, response&) {
  auto* shared = reinterpret_cast<std::uint8_t*>(page());
  std::memset(shared, 0xff, 4096);
  ring();
  for (;;) barrier();
}

// A death that is told about with lengths beyond all bounds and octets that no terminal should see.
void lie_about_death(const request&, response&) {
  auto* shared = page();
  for (auto* text : {shared->program_counter.octets, shared->symbol.octets}) {
    std::memset(text, '\x1b', 64);
    text[0] = '+';
  }
  shared->program_counter.bytes = 0xffffffff;
  shared->symbol.bytes = 0x7fffffff;
  shared->fault_address.bytes = 0xfffffff0;
  shared->crash_signal = SIGABRT;
  _exit(128 + SIGABRT);
}

void ring_early(const request&, response& to) {
  ring();
  const timespec some{0, 50'000'000};
  nanosleep(&some, nullptr);
  to.content("ok");
}

// A valid answer, then another one that nobody asked for.
void answer_twice(const request&, response& to) {
  auto* shared = page();
  to.content("first");
  shared->response_bytes = static_cast<std::uint32_t>(to.finish());
  shared->verdict = 2;
  shared->log_bytes = 0;
  shared->detail_bytes = 0;
  shared->done_number = shared->request_number.load();
  ring();
  const timespec some{0, 20'000'000};
  nanosleep(&some, nullptr);
  std::memset(response_room, 0xee, 4096);
  ring();
  for (;;) barrier();
}

void flood_doorbell(const request&, response&) {
  const std::uint64_t most = 0xfffffffffffffffe;
  for (;;) static_cast<void>(!write(doorbell, &most, sizeof most));
}

// Answers, and then burns time that nobody gave it.
void run_on(const request&, response& to) {
  auto* shared = page();
  to.content("ok");
  shared->response_bytes = static_cast<std::uint32_t>(to.finish());
  shared->verdict = 2;
  shared->log_bytes = 0;
  shared->detail_bytes = 0;
  shared->done_number = shared->request_number.load();
  ring();
  for (;;) barrier();
}

void ignore_faults(const request&, response&) {
  struct sigaction again = {};
  again.sa_handler = [](int) {};
  sigaction(SIGSEGV, &again, nullptr);
  *opaque<int*>(nullptr) = 1;
}

constexpr deed deeds[] = {
    {"/fork", fork_plain},
    {"/fork-bomb", fork_bomb},
    {"/descriptors", descriptor_leak},
    {"/open", open_file},
    {"/make-file", make_file},
    {"/socket", open_socket},
    {"/unix-socket", open_unix},
    {"/exec", execute},
    {"/kill-parent", kill_parent},
    {"/kill-all", kill_everybody},
    {"/kill", kill_given},
    {"/ptrace", trace},
    {"/mount", mount_something},
    {"/exec-memory", executable_memory},
    {"/make-executable", make_executable},
    {"/write", write_elsewhere},
    {"/truncate", cut_memory},
    {"/setuid", become_root},
    {"/corrupt-numbers", corrupt_numbers},
    {"/corrupt-everything", corrupt_everything},
    {"/ring-early", ring_early},
    {"/lie-about-death", lie_about_death},
    {"/answer-twice", answer_twice},
    {"/flood-doorbell", flood_doorbell},
    {"/run-on", run_on},
    {"/ignore-faults", ignore_faults},
};

}  // namespace

bool escape(const request& from, response& to) {
  return do_deed(deeds, from, to);
}

}  // namespace hostile
