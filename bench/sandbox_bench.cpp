// What a sandbox costs: a request to a process against an inline call and a round trip over pipes,
// in the same run; a worker's birth and memory. Prints ratios to read, times for orientation.
//
//   sandbox_bench GUEST.so [ROUNDS [LAYER...]]   without those layers, to see what each one costs
//
// GUEST.so: build/release/examples/guest/example_guest.so; with a GUEST.wasm beside it, the same as
// a module in this process.
#include <dlfcn.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sandbox/blob.hpp"
#include "sandbox/bulkhead_guest.h"
#include "sandbox/process/executor.hpp"
#include "sandbox/wasm/executor.hpp"

using namespace bulkhead::sandbox;
using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

// The guest that is called inline asks for these, of which none matters here.
extern "C" {
[[gnu::visibility("default")]] int64_t bulkhead_wall_left_ns(void) {
  return 1;
}
[[gnu::visibility("default")]] int64_t bulkhead_cpu_left_ns(void) {
  return 1;
}
[[gnu::visibility("default")]] uint64_t bulkhead_memory_bytes_max(void) {
  return 1;
}
[[gnu::visibility("default")]] void bulkhead_log(const char*, uint32_t) {}
}

namespace {

std::string blob_of(const char* target, std::size_t content_bytes) {
  std::string blob;
  blob_writer writer(blob);
  writer.field(":method", "POST").field(":target", target).field("host", "localhost");
  writer.finish(std::string(content_bytes, 'x'));
  return blob;
}

double ns(clock_type::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

double quantile(std::vector<double> all, double which) {
  std::sort(all.begin(), all.end());
  return all[static_cast<std::size_t>(which * static_cast<double>(all.size() - 1))];
}

// A loop around poll(), as small as one can be.
struct loop : watcher {
  void watch(int fd) override { watched.insert(fd); }
  void forget(int fd) override { watched.erase(fd); }

  outcome ask(process_executor& executor, std::uint32_t handler, const std::string& blob) {
    executor.start(handler, blob, clock_type::now());
    completion one;
    while (!executor.next(one)) turn(executor);
    return std::move(one.result);
  }
  void turn(process_executor& executor) {
    std::vector<pollfd> all;
    for (const int fd : watched) all.push_back({fd, POLLIN, 0});
    poll(all.data(), all.size(), 100);
    const auto now = clock_type::now();
    for (const auto& one : all)
      if (one.revents != 0) executor.on_readable(one.fd, now);
    executor.on_time(now);
  }
  std::set<int> watched;
};

// A child that sends back what it gets: the least that two processes need.
class pipes {
 public:
  explicit pipes(std::size_t bytes) : bytes_(bytes) {
    if (pipe(to_.data()) != 0 || pipe(from_.data()) != 0) std::abort();
    child_ = fork();
    if (child_ != 0) return;
    close(to_[1]);
    std::string content(bytes_, 'x');
    while (whole(to_[0], content, read) && whole(from_[1], content, write)) continue;
    _exit(0);
  }
  ~pipes() {
    close(to_[1]);
    waitpid(child_, nullptr, 0);
  }
  void round_trip() {
    if (!whole(to_[1], content_, write) || !whole(from_[0], content_, read)) std::abort();
  }

 private:
  template <class Do>
  bool whole(int fd, std::string& content, const Do& move) {
    content.resize(bytes_);
    for (std::size_t at = 0; at < bytes_;) {
      const auto moved = move(fd, content.data() + at, bytes_ - at);
      if (moved <= 0) return false;
      at += static_cast<std::size_t>(moved);
    }
    return true;
  }

  std::size_t bytes_;
  std::string content_;
  std::array<int, 2> to_{};
  std::array<int, 2> from_{};
  pid_t child_ = -1;
};

// Median of the means of some slices, so that one disturbance does not count.
double median_ns(const std::function<void()>& once, int times) {
  std::vector<double> slices;
  for (int slice = 0; slice < 9; ++slice) {
    const auto began = clock_type::now();
    for (int i = 0; i < times; ++i) once();
    slices.push_back(ns(clock_type::now() - began) / times);
  }
  return quantile(slices, 0.5);
}

double measure_inline(const char* file, const std::string& blob) {
  auto* object = dlopen(file, RTLD_NOW);
  if (!object) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  const auto handle =
      reinterpret_cast<decltype(&bulkhead_handle)>(dlsym(object, "bulkhead_handle"));
  std::vector<std::uint8_t> room(1 << 20);
  const auto* request = reinterpret_cast<const std::uint8_t*>(blob.data());
  return median_ns(
      [&] { handle(request, static_cast<std::uint32_t>(blob.size()), room.data(), 1 << 20); },
      100'000);
}

void print_row(const char* name, double time, double whole) {
  std::printf("%-34s %10.0f ns   %6.2f\n", name, time, time / whole);
}

void measure_round_trips(const char* file, int times, const process_settings& all) {
  loop here;
  auto started = process_executor::start(all, here);
  if (!started.value) {
    std::fprintf(stderr, "%s\n", started.error.c_str());
    std::exit(1);
  }
  auto& executor = *started.value;
  std::printf("layers: %s\n\n", to_string(executor.held()).c_str());
  handler_settings settings;
  settings.file = file;
  settings.workers = 1;
  settings.spares = 0;
  const auto id = executor.add(settings, clock_type::now()).value;
  for (const std::size_t bytes : {0u, 1024u, 65536u}) {
    const auto blob = blob_of(bytes == 0 ? "/hello" : "/echo", bytes);
    here.ask(executor, id, blob);
    pipes other(blob.size());
    const auto nothing = median_ns([] { syscall(SYS_getppid); }, times);
    const auto called = measure_inline(file, blob);
    const auto piped = median_ns([&] { other.round_trip(); }, times);
    const auto contained = median_ns([&] { here.ask(executor, id, blob); }, times);
    std::printf("content of %zu octets; the ratio is to pipes\n", bytes);
    print_row("  a system call that does nothing", nothing, piped);
    print_row("  inline call", called, piped);
    print_row("  pipes", piped, piped);
    print_row("  process executor", contained, piped);
  }
}

// The sum of the lines of that name in smaps_rollup, in KiB.
long memory_kib(pid_t process, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/smaps_rollup");
  long sum = 0;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) sum += std::atol(line.c_str() + name.size() + 1);
  return sum;
}

std::vector<pid_t> children() {
  std::ifstream file("/proc/self/task/" + std::to_string(getpid()) + "/children");
  std::vector<pid_t> all;
  for (pid_t one = 0; file >> one;) all.push_back(one);
  return all;
}

void measure_births(const char* file, const process_settings& all_settings) {
  std::vector<double> births;
  loop here;
  const auto began = clock_type::now();
  auto started = process_executor::start(all_settings, here);
  std::printf("\nzygote, until it is ready            %8.2f ms\n",
              ns(clock_type::now() - began) / 1e6);
  auto& executor = *started.value;
  handler_settings settings;
  settings.file = file;
  settings.workers = 1;
  settings.spares = 0;
  for (int i = 0; i < 200; ++i) {
    const auto before = clock_type::now();
    const auto id = executor.add(settings, before).value;
    while (executor.count(id).idle == 0) here.turn(executor);
    births.push_back(ns(clock_type::now() - before) / 1e6);
    executor.remove(id, clock_type::now());
  }
  std::printf("worker, ordered to ready       p50 %8.2f ms, p99 %.2f ms\n", quantile(births, 0.5),
              quantile(births, 0.99));
  settings.workers = 10;
  const auto id = executor.add(settings, clock_type::now()).value;
  while (executor.count(id).idle < 10 || executor.count(id).loading > 0) here.turn(executor);
  const auto all = children();
  long proportional = 0, own = 0;
  for (auto one = all.begin() + 1; one != all.end(); ++one) {
    proportional += memory_kib(*one, "Pss");
    own += memory_kib(*one, "Private_Dirty") + memory_kib(*one, "Private_Clean");
  }
  const auto count = static_cast<long>(all.size()) - 1;
  std::printf("memory of one of %ld idle workers: proportional %ld KiB, its own %ld KiB\n", count,
              proportional / count, own / count);
  std::printf("memory of the zygote: proportional %ld KiB\n", memory_kib(all.front(), "Pss"));
}

// --- modules

std::unique_ptr<wasm_executor> load_module(const wasm_settings& settings) {
  auto loaded = wasm_executor::load(settings);
  if (loaded.value) return std::move(loaded.value);
  std::fprintf(stderr, "%s\n", loaded.error.c_str());
  std::exit(1);
}

// Answers a second of all threads together.
double rate_of(wasm_executor& module, const std::string& blob, unsigned threads) {
  constexpr int times = 100'000;
  const auto began = clock_type::now();
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i)
    all.emplace_back([&] {
      for (int j = 0; j < times; ++j) module.call(blob, began + 1h);
    });
  for (auto& one : all) one.join();
  return threads * times / std::chrono::duration<double>(clock_type::now() - began).count();
}

// How far beyond its deadline a call that would run for longer is cut off.
void measure_overshoot(const wasm_settings& settings) {
  const auto module = load_module(settings);
  const auto blob = blob_of("/sum", 1'000'000);
  std::vector<double> beyond;
  for (int i = 0; i < 300; ++i) {
    const auto began = clock_type::now();
    // All but a tenth of a millisecond of its time is over.
    const auto result = module->call(blob, began - settings.wall_max + 100us);
    if (result.kind == outcome_kind::deadline)
      beyond.push_back(ns(result.wall - settings.wall_max) / 1e6);
  }
  std::printf("beyond the deadline, %zu of 300 calls", beyond.size());
  if (!beyond.empty())
    std::printf("   p50 %8.2f ms, p99 %.2f ms", quantile(beyond, 0.5), quantile(beyond, 0.99));
  std::printf("\n");
}

void measure_modules(const std::string& object, int times) {
  wasm_settings settings;
  settings.file = std::filesystem::path(object).replace_extension(".wasm").string();
  settings.cache = settings.file + "-cache";
  if (!std::filesystem::exists(settings.file)) return;
  const auto began = clock_type::now();
  auto fresh = load_module(settings);
  std::printf("\nmodule: translated if need be, and loaded %.0f ms\n",
              ns(clock_type::now() - began) / 1e6);
  auto keeping = settings;
  keeping.reset_requests = 0;
  const auto kept = load_module(keeping);
  keeping.idle_max = 0;
  const auto made = load_module(keeping);
  for (const std::size_t bytes : {0u, 1024u, 65536u}) {
    const auto blob = blob_of(bytes == 0 ? "/hello" : "/echo", bytes);
    const auto later = clock_type::now() + 1h;
    const auto called = measure_inline(object.c_str(), blob);
    std::printf("content of %zu octets; the ratio is to an inline call\n", bytes);
    print_row("  a system call that does nothing",
              median_ns([] { syscall(SYS_getppid); }, times * 10), called);
    print_row("  inline call", called, called);
    print_row("  module, instance kept", median_ns([&] { kept->call(blob, later); }, times * 10),
              called);
    print_row("  module, instance reset", median_ns([&] { fresh->call(blob, later); }, times),
              called);
    print_row("  module, instance made", median_ns([&] { made->call(blob, later); }, times / 10),
              called);
  }
  const auto blob = blob_of("/hello", 0);
  for (const unsigned threads : {1u, 2u})
    std::printf("/hello a second on %u threads: kept %.0f, reset %.0f\n", threads,
                rate_of(*kept, blob, threads), rate_of(*fresh, blob, threads));
  measure_overshoot(settings);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: sandbox_bench GUEST.so [ROUNDS [LAYER...]]\n");
    return 2;
  }
  process_settings settings;
  for (int i = 3; i < count; ++i) {
    layer one{};
    if (!parse(arguments[i], one)) return 2;
    settings.without.add(one);
  }
  measure_round_trips(arguments[1], count > 2 ? std::atoi(arguments[2]) : 5'000, settings);
  measure_births(arguments[1], settings);
  measure_modules(arguments[1], count > 2 ? std::atoi(arguments[2]) : 5'000);
}
