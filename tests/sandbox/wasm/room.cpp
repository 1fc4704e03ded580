#include "tests/sandbox/wasm/room.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace bulkhead::tests {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

sandbox::wasm_settings small_module(const std::string& file) {
  sandbox::wasm_settings all;
  all.file = file;
  all.cache = BULKHEAD_WASM_CACHE;
  all.wall_max = 20s;
  all.cpu_max = 20s;
  all.load_max = 20s;
  all.memory_bytes_max = 32u << 20;
  all.request_bytes_max = 64u << 10;
  all.response_bytes_max = 64u << 10;
  all.log_bytes_max = 4u << 10;
  return all;
}

std::unique_ptr<sandbox::wasm_executor> load(const sandbox::wasm_settings& settings) {
  auto loaded = sandbox::wasm_executor::load(settings);
  if (!loaded.value) throw std::runtime_error(loaded.error);
  return std::move(loaded.value);
}

std::string refusal_of(const sandbox::wasm_settings& settings) {
  return sandbox::wasm_executor::load(settings).error;
}

outcome ask(sandbox::wasm_executor& of, std::string_view target, std::string_view content) {
  return of.call(blob_of(target, content), clock::now());
}

std::string assembled(std::string_view text) {
  const auto name = std::string(BULKHEAD_WASM_CACHE) + "/" +
                    std::to_string(std::hash<std::string_view>()(text)) + "-" +
                    std::to_string(getpid());
  std::filesystem::create_directories(BULKHEAD_WASM_CACHE);
  std::ofstream(name + ".wat") << text;
  const auto made = std::system(("wat2wasm " + name + ".wat -o " + name + ".wasm").c_str());
  std::filesystem::remove(name + ".wat");
  if (made != 0) throw std::runtime_error("wat2wasm refuses it");
  return name + ".wasm";
}

#ifndef __has_feature
#define __has_feature(unknown) 0  // a question of clang's
#endif

holdings count_holdings() {
  holdings all{count_belongings(), 0, 0};
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ++all.threads;
    // AddressSanitizer reserves as much for itself as it goes.
#if !__has_feature(address_sanitizer)
  // What a small instance leaves of 8 GiB.
  constexpr unsigned long least = (8ul << 30) - (64ul << 20);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char access[8] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &begin, &end, access) == 3 &&
        std::string_view(access) == "---p" && end - begin > least && end - begin < 9ul << 30)
      ++all.reservations;
  }
#endif
  return all;
}

struct neighbours::state {
  std::atomic<bool> is_over{false};
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  std::vector<std::atomic<unsigned>> answered;
  explicit state(unsigned count) : answered(count) {}
};

neighbours::neighbours(sandbox::wasm_executor& of, unsigned count)
    : state_(std::make_unique<state>(count)) {
  for (unsigned i = 0; i < count; ++i)
    state_->threads.emplace_back([&of, &all = *state_, i] {
      while (!all.is_over)
        if (text_of(ask(of, "/ok")) == "ok")
          ++all.answered[i];
        else
          ++all.wrong;
    });
  // The fault comes while they are at it.
  for (auto& one : state_->answered)
    while (one == 0) std::this_thread::yield();
}

neighbours::~neighbours() {
  state_->is_over = true;
  for (auto& one : state_->threads)
    if (one.joinable()) one.join();
}

bool neighbours::were_undisturbed() {
  for (auto& one : state_->answered) {
    const auto before = one.load();
    while (one == before && state_->wrong == 0) std::this_thread::yield();
  }
  state_->is_over = true;
  for (auto& one : state_->threads) one.join();
  return state_->wrong == 0;
}

}  // namespace bulkhead::tests
