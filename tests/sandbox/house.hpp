// An executor with the loop that drives it, and what the tests ask of it.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sandbox/blob.hpp"
#include "sandbox/process/executor.hpp"

namespace bulkhead::tests {

using sandbox::outcome;
using sandbox::outcome_kind;
using ticket = sandbox::process_executor::ticket;
using handler = sandbox::process_executor::handler_id;

inline const std::string guests = BULKHEAD_GUESTS;
std::string blob_of(std::string_view target, std::string_view content = {});
// The content of a response; else what happened instead.
std::string text_of(const outcome& result);

// Small memory, short patience; two workers and a spare, as the defaults have it.
sandbox::handler_settings small(const std::string& file = guests + "hostile.so");

// What a test must leave as it was.
struct belongings {
  std::size_t descriptors;
  std::size_t children;
  bool operator==(const belongings&) const = default;
};
belongings count_belongings();

class house : private sandbox::watcher {
 public:
  // Throws std::runtime_error when it does not start.
  explicit house(sandbox::process_settings settings = {});

  sandbox::process_executor& executor() { return *executor_; }
  handler add(const sandbox::handler_settings& settings = small());

  ticket start(handler which, std::string_view target, std::string_view content = {});
  // Drives the executor until the outcome is there, for 30 s at most: then it throws.
  outcome wait(ticket which);
  outcome ask(handler which, std::string_view target, std::string_view content = {}) {
    return wait(start(which, target, content));
  }
  // Drives it until `holds`.
  template <class Predicate>
  void until(const Predicate& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) turn(end);
  }
  // For that long.
  void run(std::chrono::milliseconds time);
  // All workers that should be there are loaded, all others are reaped.
  void settle(handler which, std::size_t idle = 3);
  bool has(ticket which) const { return outcomes_.contains(which); }

 private:
  void watch(int fd) override { watched_.insert(fd); }
  void forget(int fd) override { watched_.erase(fd); }
  void turn(std::chrono::steady_clock::time_point give_up);
  void collect();

  std::set<int> watched_;
  std::map<ticket, outcome> outcomes_;
  std::unique_ptr<sandbox::process_executor> executor_;
};

}  // namespace bulkhead::tests
