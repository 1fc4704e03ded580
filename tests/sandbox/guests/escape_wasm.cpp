// Attempts to get out of WebAssembly, or to hold out in it.
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "tests/sandbox/guests/deed.hpp"

namespace hostile {
namespace {

char* memory_end() {
  return reinterpret_cast<char*>(__builtin_wasm_memory_size(0) * 65536);
}

// One page more than there is; the last address that there could ever be.
void beyond(const request&, response&) {
  *opaque(memory_end()) = 1;
}
void last_address(const request&, response&) {
  *opaque(reinterpret_cast<int*>(0xffff'fffcu)) = 1;
}

// All of it, its stack included.
void overwrite(const request&, response&) {
  for (auto* at = opaque(reinterpret_cast<char*>(8)); at != memory_end(); ++at) {
    *at = 0x5a;
    barrier();
  }
  for (;;) barrier();
}

void overflow(const request&, response& to) {
  to.content(std::to_string(opaque(INT_MIN) / opaque(-1)));
}

// Imports: at the end of the memory, across it, far outside; without end.
void log_beyond(const request&, response&) {
  bulkhead_log(opaque(memory_end() - 4), 8);
}
void log_far(const request&, response&) {
  bulkhead_log(opaque(reinterpret_cast<char*>(0xffff'fff0u)), 0xffff'ffffu);
}
void log_loop(const request&, response&) {
  for (;;) bulkhead_log("again", 5);
}
void clock_loop(const request&, response&) {
  for (;;) bulkhead_wall_left_ns();
}
void grow_loop(const request&, response&) {
  for (;;) opaque(__builtin_wasm_memory_grow(0, 0));
}

// Time in what the compiler makes of memset and memmove.
void fill_loop(const request&, response&) {
  auto* all = opaque(static_cast<char*>(std::malloc(8 << 20)));
  for (;;) {
    std::memset(opaque(all), 1, 8 << 20);
    std::memmove(opaque(all + 1), all, (8 << 20) - 1);
  }
}

// The server is called with ever less stack left.
int call_down(int depth) {
  if (bulkhead_wall_left_ns() < 0) return 0;
  const int below = call_down(opaque(depth + 1));
  barrier();
  return below + depth;
}
void call_with_little_stack(const request&, response& to) {
  to.content(std::to_string(call_down(1)));
}

void grow(const request&, response& to) {
  const auto before = __builtin_wasm_memory_grow(0, 16);
  std::memset(reinterpret_cast<char*>(before * 65536), 1, 16 * 65536);
  to.content(std::to_string(before));
}

// Behind what the response will be.
void say_room(const request&, response& to) {
  to.content(response_room[1000] == 0 ? "clean" : "dirty");
  response_room[1000] = 1;
}

std::string name(double value) {
  return std::to_string(static_cast<long long>(value * 10)) + (std::signbit(value) ? "- " : "+ ");
}
void numbers(const request&, response& to) {
  std::string all;
  for (const double x : {-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, 4503599627370497.0}) {
    const auto v = opaque(x);
    const auto f = static_cast<float>(v);
    all += name(std::floor(v)) + name(std::ceil(v)) + name(std::trunc(v)) + name(std::nearbyint(v));
    all += name(std::floor(f)) + name(std::ceil(f)) + name(std::trunc(f)) + name(std::nearbyint(f));
    all += name(std::sqrt(std::fabs(v))) + '\n';
  }
  to.content(all);
}

// Sleeps, looks at clocks, asks for random octets and the environment: what a C library does.
void library(const request&, response& to) {
  const timespec some{0, 1'000'000};
  const bool slept = nanosleep(&some, nullptr) == 0;
  const bool is_now = std::time(nullptr) > 1'600'000'000;
  const bool is_empty = std::getenv("PATH") == nullptr;
  to.content(slept && is_now && is_empty ? "as usual" : "strange");
}

constexpr deed deeds[] = {
    {"/beyond-memory", beyond},
    {"/last-address", last_address},
    {"/overwrite", overwrite},
    {"/overflow", overflow},
    {"/log-beyond", log_beyond},
    {"/log-far", log_far},
    {"/log-loop", log_loop},
    {"/clock-loop", clock_loop},
    {"/grow-loop", grow_loop},
    {"/fill-loop", fill_loop},
    {"/call-down", call_with_little_stack},
    {"/grow", grow},
    {"/room", say_room},
    {"/numbers", numbers},
    {"/library", library},
};

}  // namespace

bool escape(const request& from, response& to) {
  return do_deed(deeds, from, to);
}

}  // namespace hostile
