// A guest that misbehaves as its target says, as a shared object and as a module. Faults of the
// language; those of the system are in escape.cpp, those of WebAssembly in escape_wasm.cpp.
#if !defined(__wasm__)
#include <pthread.h>

#include <csetjmp>
#endif

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

#include "sandbox/bulkhead_guest.hpp"
#include "tests/sandbox/guests/deed.hpp"

namespace hostile {
namespace {

void answer_ok(const request&, response& to) {
  to.content("ok");
}

void echo(const request& from, response& to) {
  to.content(from.content());
}

void null_pointer(const request&, response&) {
  *opaque<int*>(nullptr) = 1;
}

void wild_pointer(const request&, response&) {
  *opaque(reinterpret_cast<int*>(static_cast<std::uintptr_t>(0x5a5a'5a5a'5000u))) = 1;
}

void jump_nowhere(const request&, response&) {
  opaque(reinterpret_cast<void (*)()>(0x1000))();
}

void division(const request&, response& to) {
  const int quotient = opaque(1) / opaque(0);
  to.content(std::to_string(opaque(quotient)));
}

void give_up(const request&, response&) {
  std::abort();
}

void leave(const request&, response&) {
  std::exit(opaque(0));
}

int descend(volatile char* above, int depth) {
  volatile char mine[512];
  mine[0] = above[0];
  barrier();
  return depth == 0 ? mine[0] : descend(mine, depth + 1) + mine[0];
}

void stack_overflow(const request&, response& to) {
  volatile char top[1] = {1};
  to.content(std::to_string(descend(top, 1)));
}

void endless(const request&, response&) {
  for (;;) barrier();
}

void sleep_long(const request&, response&) {
  for (;;) {
    const timespec hour{3600, 0};
    nanosleep(&hour, nullptr);
  }
}

// Modules are built without exceptions: what the library throws ends in abort().
void throw_standard(const request&, response&) {
#if defined(__cpp_exceptions)
  throw std::runtime_error("thrown on purpose");
#else
  static_cast<void>(std::string().at(opaque(std::size_t{1})));
#endif
}
void throw_number(const request& from, response& to) {
#if defined(__cpp_exceptions)
  throw 7;
#endif
  throw_standard(from, to);
}

void one_huge(const request&, response& to) {
  auto* all = opaque(new char[opaque(std::size_t{1} << 30)]);
  all[0] = 1;
  to.content("had it");
}

void many_steps(const request&, response& to) {
  std::vector<char*> all;
  for (int i = 0; i < 100'000; ++i) {
    all.push_back(opaque(new char[1 << 20]));
    std::memset(all.back(), 1, 1 << 20);
    barrier();
  }
  to.content("had it");
}

// Leaks, and says so politely.
void leak_a_megabyte(const request&, response& to) {
  std::memset(opaque(new char[1 << 20]), 1, 1 << 20);
  to.content("ok");
}

#if !defined(__wasm__)
void leave_thread(const request&, response&) {
  pthread_exit(nullptr);
}

std::jmp_buf far_away;
void jump_far(const request&, response& to) {
  if (setjmp(far_away) == 0) {
    const auto deeper = [](int depth) {
      if (opaque(depth) > 0) std::longjmp(far_away, 1);
    };
    deeper(1);
  }
  to.content("jumped");
}

void* run_on(void*) {
  for (;;) barrier();
}

void start_thread(const request&, response& to) {
  pthread_t other;
  const int error = pthread_create(&other, nullptr, run_on, nullptr);
  to.content(error == 0 ? "started" : std::strerror(error));
}
#endif

void answer_too_large(const request&, response& to) {
  const std::string part(1 << 16, 'x');
  for (int i = 0; i < 1000; ++i) to.content(part);
}

void say_budgets(const request&, response& to) {
  const bool sane =
      bulkhead_wall_left_ns() > 0 && bulkhead_cpu_left_ns() > 0 && bulkhead_memory_bytes_max() > 0;
  to.content(sane ? "sane" : "insane");
}

void say_much(const request&, response& to) {
  const std::string line(100, 'l');
  for (int i = 0; i < 10'000; ++i) bulkhead::guest::log(line);
  to.content("ok");
}

int count = 0;
void say_count(const request&, response& to) {
  to.content(std::to_string(++count));
}

constexpr deed deeds[] = {
    {"/ok", answer_ok},
    {"/echo", echo},
    {"/null", null_pointer},
    {"/wild", wild_pointer},
    {"/jump", jump_nowhere},
    {"/division", division},
    {"/abort", give_up},
    {"/exit", leave},
    {"/stack", stack_overflow},
    {"/loop", endless},
    {"/sleep", sleep_long},
    {"/throw", throw_standard},
    {"/throw-number", throw_number},
    {"/huge", one_huge},
    {"/steps", many_steps},
    {"/leak", leak_a_megabyte},
#if !defined(__wasm__)
    {"/thread", start_thread},
    {"/thread-exit", leave_thread},
    {"/long-jump", jump_far},
#endif
    {"/too-large", answer_too_large},
    {"/budgets", say_budgets},
    {"/log", say_much},
    {"/count", say_count},
};

void handle(const request& from, response& to) {
  for (const auto& one : deeds)
    if (from.target() == one.target) return one.run(from, to);
  if (!escape(from, to)) to.status(404);
}

}  // namespace
}  // namespace hostile

namespace {

std::int32_t raw(const bulkhead::guest::request& from, bool& is_raw) {
  is_raw = true;
  if (from.target() == "/code") return -77;
  if (from.target() == "/failed") return BULKHEAD_FAILED;
  if (from.target() == "/no-memory") return BULKHEAD_NO_MEMORY;
  if (from.target() == "/beyond") return 0x7fffffff;
  if (from.target() == "/empty") return 0;
  is_raw = false;
  return 0;
}

}  // namespace

BULKHEAD_NEW_TRAPS

extern "C" std::int32_t bulkhead_handle(const std::uint8_t* blob, std::uint32_t, std::uint8_t* room,
                                        std::uint32_t room_bytes) {
  const bulkhead::guest::request from(blob);
  bool is_raw = false;
  const auto code = raw(from, is_raw);
  if (is_raw) return code;
  hostile::response_room = room;
  bulkhead::guest::response to(room, room_bytes);
  hostile::handle(from, to);
  const auto bytes = to.finish();
  // A blob that was valid until a moment ago.
  if (from.target() == "/bad-magic") room[0] ^= 1;
  if (from.target() == "/bad-field-length") room[BULKHEAD_HEAD_BYTES + 3] = 0xff;
  return bytes;
}
