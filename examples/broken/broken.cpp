// A handler that does the harm that its path names: host it in a sandbox, and see what its
// neighbours notice. Every fault is made so that a compiler can neither foresee nor remove it.
// A module is built without exceptions and has no system to ask: there throwing is abort(), and
// what is below "the system" is left out.
//
// `bulkhead soak user --trap /broken/null=502 ...` asks for them; the last segment of the path
// counts.
#ifndef __wasm__
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "sandbox/bulkhead_guest.hpp"

namespace {

using bulkhead::guest::request;
using bulkhead::guest::response;

template <class T>
T unforeseen(T value) {
  asm volatile("" : "+r"(value) : : "memory");
  return value;
}
void barrier() {
  asm volatile("" : : : "memory");
}

void fine(const request&, response& to) {
  to.content("ok");
}
void echo(const request& from, response& to) {
  to.content(from.content());
}

// --- the language

template <class Thrown>
void throw_one([[maybe_unused]] const Thrown& what) {
#ifdef __cpp_exceptions
  if (unforeseen(true)) throw what;
#else
  std::abort();
#endif
}
void throw_standard(const request&, response&) {
  throw_one(std::runtime_error("thrown on purpose"));
}
void throw_number(const request&, response&) {
  throw_one(7);
}

void throw_from_deep(int frames) {
  if (frames == 0) return throw_one(std::logic_error("thrown from deep down"));
  throw_from_deep(unforeseen(frames - 1));
  barrier();  // no tail call
}
void throw_deep(const request&, response&) {
  throw_from_deep(1000);
}

void trap(const request&, response&) {
  if (unforeseen(true)) __builtin_trap();
}

void null_pointer(const request&, response&) {
  *unforeseen<volatile int*>(nullptr) = 1;
}
void wild_pointer(const request&, response&) {
  const auto nowhere = static_cast<std::uintptr_t>(0x5a5a'5a5a'5000 & UINTPTR_MAX);
  *unforeseen(reinterpret_cast<volatile int*>(nowhere)) = 1;
}

void division(const request&, response& to) {
  to.content(std::to_string(unforeseen(1) / unforeseen(0)));
}

void give_up(const request&, response&) {
  std::abort();
}
void leave(const request&, response&) {
  std::exit(unforeseen(0));
}

int descend(volatile char* above) {
  volatile char mine[512];
  mine[0] = above[0];
  return mine[0] == 0 ? 0 : descend(mine) + mine[0];
}
void stack_overflow(const request&, response& to) {
  volatile char first[1] = {1};
  to.content(std::to_string(descend(first)));
}

// The allocator notices, and ends the process.
void corrupt_memory(const request&, response&) {
  auto* block = unforeseen(new char[64]);
  delete[] block;
  delete[] unforeseen(block);
}

// --- time

void endless_loop(const request&, response&) {
  for (;;) barrier();
}
void endless_host_calls(const request&, response&) {
  while (unforeseen(bulkhead_wall_left_ns()) >= 0) {
  }
}
void blocking_sleep(const request&, response&) {
  for (;;) {
    const timespec hour{3600, 0};
    nanosleep(&hour, nullptr);
  }
}

// --- memory

void bomb_in_steps(const request&, response& to) {
  std::vector<char*> all;
  for (int i = 0; i < 1'000'000; ++i) {
    all.push_back(unforeseen(new char[1 << 20]));
    std::memset(all.back(), 1, 1 << 20);
    barrier();
  }
  to.content("had it");
}
void one_huge_block(const request&, response& to) {
  auto* all = unforeseen(new char[unforeseen(PTRDIFF_MAX / 2 + std::size_t{1})]);
  all[0] = 1;
  to.content("had it");
}
// A megabyte each time, and an answer as if nothing were: what a sandbox is recycled for.
void leak(const request&, response& to) {
  std::memset(unforeseen(new char[1 << 20]), 1, 1 << 20);
  to.content("ok");
}

#ifndef __wasm__
// --- the system: 403 with the error's name, as it has to be; 200 when it succeeded

void tell(response& to, long result) {
  if (result >= 0)
    to.content("succeeded");
  else
    to.status(403).content(strerrorname_np(errno));
}

void fork_bomb(const request&, response& to) {
  long last = 0;
  for (int i = 0; i < 1000 && last >= 0; ++i) {
    last = fork();
    if (last == 0)
      for (;;) pause();
  }
  tell(to, last);
}
void descriptor_leak(const request&, response& to) {
  long last = 0;
  for (int i = 0; i < 100'000 && last >= 0; ++i) last = dup(STDERR_FILENO + 1);
  tell(to, last);
}
void read_file(const request&, response& to) {
  tell(to, open("/etc/passwd", O_RDONLY));
}
void write_file(const request&, response& to) {
  tell(to, open("/tmp/bulkhead-was-here", O_CREAT | O_WRONLY, 0600));
}
void use_network(const request&, response& to) {
  tell(to, socket(AF_INET, SOCK_STREAM, 0));
}
void execute(const request&, response& to) {
  char shell[] = "/bin/sh";
  char* arguments[] = {shell, nullptr};
  tell(to, execv(shell, arguments));
}

#endif
// --- the contract

void too_large(const request&, response& to) {
  const std::string part(1 << 16, 'x');
  for (int i = 0; i < 10'000; ++i) to.content(part);
}
void say_much(const request&, response& to) {
  const std::string line(100, 'l');
  for (int i = 0; i < 10'000; ++i) bulkhead::guest::log(line);
  to.content("ok");
}

struct deed {
  std::string_view name;
  void (*run)(const request&, response&);
};

constexpr deed deeds[] = {
    {"ok", fine},
    {"echo", echo},
    {"throw", throw_standard},
    {"throw-number", throw_number},
    {"throw-deep", throw_deep},
    {"trap", trap},
    {"null", null_pointer},
    {"wild", wild_pointer},
    {"division", division},
    {"abort", give_up},
    {"exit", leave},
    {"stack", stack_overflow},
    {"corrupt", corrupt_memory},
    {"loop", endless_loop},
    {"host-calls", endless_host_calls},
    {"sleep", blocking_sleep},
    {"steps", bomb_in_steps},
    {"huge", one_huge_block},
    {"leak", leak},
#ifndef __wasm__
    {"fork", fork_bomb},
    {"descriptors", descriptor_leak},
    {"read-file", read_file},
    {"write-file", write_file},
    {"network", use_network},
    {"exec", execute},
#endif
    {"too-large", too_large},
    {"log", say_much},
};

std::string_view last_segment(std::string_view target) {
  target = target.substr(0, target.find('?'));
  return target.substr(target.rfind('/') + 1);
}

}  // namespace

BULKHEAD_NEW_TRAPS

// Not BULKHEAD_HANDLER: some break the contract itself.
extern "C" std::int32_t bulkhead_handle(const std::uint8_t* blob, std::uint32_t, std::uint8_t* room,
                                        std::uint32_t room_bytes) {
  const request from(blob);
  const auto name = last_segment(from.target());
  if (name == "wrong-length") return 0x7fffffff;
  if (name == "no-answer") return 0;
  if (name == "unknown-code") return -77;
  response to(room, room_bytes);
  for (const auto& one : deeds)
    if (name == one.name) {
      one.run(from, to);
      return to.finish();
    }
  if (name == "bad-answer") {
    const auto bytes = to.content("ok").finish();
    room[0] ^= 1;  // was a valid blob
    return bytes;
  }
  to.status(404).content("no such deed");
  return to.finish();
}
