// Handlers that their owner trusts, in this process: the guest interface without a sandbox.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sandbox/thread_executor.hpp"

namespace bulkhead::sandbox {

struct inline_settings {
  std::string file;  // a shared object that defines bulkhead_handle

  // What the guest is told that it may use. Nobody cuts it off.
  std::chrono::nanoseconds wall_max = std::chrono::seconds(10);
  std::chrono::nanoseconds cpu_max = std::chrono::seconds(5);
  std::size_t memory_bytes_max = 64u << 20;
  // These hold.
  std::uint32_t request_bytes_max = 1u << 20;
  std::uint32_t response_bytes_max = 1u << 20;
  std::uint32_t log_bytes_max = 16u << 10;
};

// One handler: an object that is loaded into the server. An exception is an outcome; whatever else
// goes wrong in it goes wrong in the server. Called by several threads at once, unlike in a process
// or as a module: what its globals hold it must guard itself.
//
// The program exports bulkhead_log and the like to it (CMake: whoever links bulkhead_sandbox).
class inline_executor final : public thread_executor {
 public:
  struct loaded;
  // Runs the object's constructors on this thread. A copy is loaded: a file that is replaced later
  // changes nothing, and is another object to the next load().
  static loaded load(const inline_settings& settings);
  inline_executor(const inline_executor&) = delete;
  inline_executor& operator=(const inline_executor&) = delete;
  // When nobody calls any more. Unloads the object unless the C library must keep it, for a
  // STB_GNU_UNIQUE symbol for one.
  ~inline_executor() override;

  outcome call(std::string_view blob, time_point now) override;

 private:
  using handle_function = std::int32_t (*)(const std::uint8_t*, std::uint32_t, std::uint8_t*,
                                           std::uint32_t);

  explicit inline_executor(inline_settings settings) : settings_(std::move(settings)) {}
  outcome run(std::string_view blob) const;

  const inline_settings settings_;
  void* library_ = nullptr;
  handle_function handle_ = nullptr;
};

struct inline_executor::loaded {
  std::unique_ptr<inline_executor> value;
  std::string error;  // names the file
};

}  // namespace bulkhead::sandbox
