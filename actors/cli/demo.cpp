#include "actors/cli/demo.hpp"

#include <bit>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

#include "actors/cli/whole_number.hpp"

namespace bulkhead::cli {
namespace {

constexpr std::uint64_t pause_ms_max = 60'000;
constexpr std::uint64_t big_bytes_default = 16'384;
constexpr std::uint64_t big_bytes_max = 64ull * 1024 * 1024;
constexpr std::uint64_t stream_lines_max = 1'000'000;

// What the client got wrong in the query; answered by 400.
struct bad_query {
  std::string what;
};

std::uint64_t number_of(const request& from, std::string_view name, std::uint64_t otherwise,
                        number_range range) {
  const auto text = from.query_value(name);
  if (!text) return otherwise;
  const auto number = whole_number(*text, range);
  if (!number) throw bad_query{std::string(name) + ": " + not_in(range, *text) + "\n"};
  return *number;
}

std::chrono::milliseconds pause_of(const request& from) {
  return std::chrono::milliseconds(number_of(from, "ms", 100, {0, pause_ms_max}));
}

response home(const request&) {
  return response::text(
      "Bulkhead. Every connection is an actor, and a handler that fails takes nobody with it.\n"
      "\n"
      "/hello  /small             a greeting of 13 bytes\n"
      "/echo                      POST: the content back\n"
      "/headers                   the request's fields back\n"
      "/big?n=16384               n bytes\n"
      "/stream?n=10&ms=100        n lines with a pause between them\n"
      "/status?c=404              that status\n"
      "/sleep?ms=100              blocks its thread\n"
      "/spin?ms=100               burns its thread\n"
      "/throw  /throw?what=int    an exception, or something that is none\n"
      "/crash                     a wild write, which kills the process\n");
}

response hello(const request&) {
  return response::text("Hello, world!");
}

response echo(const request& from) {
  return response::bytes(std::string(from.content()));
}

response headers(const request& from) {
  std::string lines;
  for (const auto& [name, value] : from.fields())
    lines.append(name).append(": ").append(value).append("\n");
  return response::text(std::move(lines));
}

response big(const request& from) {
  const auto bytes = number_of(from, "n", big_bytes_default, {0, big_bytes_max});
  return response::bytes(std::string(static_cast<std::size_t>(bytes), 'x'));
}

response status(const request& from) {
  const auto code = static_cast<int>(number_of(from, "c", 200, {200, 599}));
  const bool has_content = code != 204 && code != 205 && code != 304;
  return has_content ? response::text("status " + std::to_string(code) + "\n", code)
                     : response(code);
}

response sleep(const request& from) {
  std::this_thread::sleep_for(pause_of(from));
  return response::text("slept\n");
}

response spin(const request& from) {
  const auto end = std::chrono::steady_clock::now() + pause_of(from);
  while (std::chrono::steady_clock::now() < end) {
  }
  return response::text("spun\n");
}

// Nothing waits for the pause: the source has nothing until it is over.
response stream(const request& from) {
  using clock = std::chrono::steady_clock;
  const auto lines = number_of(from, "n", 10, {0, stream_lines_max});
  auto answer = response::text("");
  answer.set_source([=, pause = pause_of(from), line = std::uint64_t{0},
                     due = clock::time_point{}](std::string& piece) mutable {
    if (line == lines) return false;
    const auto now = clock::now();
    if (now < due) return true;
    due = now + pause;
    piece = "line " + std::to_string(++line) + "\n";
    return line < lines;
  });
  return answer;
}

response throws(const request& from) {
  const auto what = from.query_value("what");
  if (!what) throw std::runtime_error("the demo handler /throw was asked to throw");
  if (*what == "int") throw 42;
  throw bad_query{"what: only 'int' is known\n"};
}

// No compiler may know where it goes: it would take the fault out.
response crash(const request&) {
  volatile std::uintptr_t nowhere = 8;
  *std::bit_cast<volatile int*>(std::uintptr_t{nowhere}) = 1;
  return response::text("alive\n");
}

template <response (*Handler)(const request&)>
response checked(const request& from) {
  try {
    return Handler(from);
  } catch (const bad_query& bad) {
    return response::text(bad.what, 400);
  }
}

}  // namespace

void add_demo(server& to) {
  to.get("/", home)
      .get("/hello", hello)
      .get("/small", hello)
      .post("/echo", echo)
      .get("/headers", headers)
      .get("/big", checked<big>)
      .get("/stream", checked<stream>)
      .get("/status", checked<status>)
      .get("/sleep", checked<sleep>)
      .get("/spin", checked<spin>)
      .get("/throw", checked<throws>)
      .get("/crash", crash);
}

}  // namespace bulkhead::cli
