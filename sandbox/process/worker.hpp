// The server's end of one worker: its memory, its doorbell, its life.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sandbox/descriptor.hpp"
#include "sandbox/outcome.hpp"
#include "sandbox/process/settings.hpp"
#include "sandbox/process/shared_memory.hpp"
#include "sandbox/process/wire.hpp"

namespace bulkhead::sandbox {

using time_point = std::chrono::steady_clock::time_point;

// Memory that is mapped here and by at most one worker, sealed so that it cannot shrink.
class shared_mapping {
 public:
  shared_mapping() = default;
  // Empty when the system refuses.
  explicit shared_mapping(const shared_layout& layout);
  shared_mapping(const shared_mapping&) = delete;
  shared_mapping& operator=(const shared_mapping&) = delete;
  ~shared_mapping();

  explicit operator bool() const { return at_ != nullptr; }
  shared_page& page() const { return *reinterpret_cast<shared_page*>(at_); }
  char* bytes(std::size_t offset) const { return at_ + offset; }
  // For the worker; the server needs it no longer once it is sent.
  descriptor& file() { return file_; }

 private:
  char* at_ = nullptr;
  std::size_t size_ = 0;
  descriptor file_;
};

class worker {
 public:
  enum class phase : std::uint8_t {
    ordered,  // the zygote has not yet reported it
    loading,
    idle,
    busy,
    dying,  // killed, not yet reaped
  };

  // Check is_sound() afterwards.
  worker(const handler_settings& settings, std::uint32_t serial);
  bool is_sound() const { return memory_ && doorbell_; }

  wire::order order(std::uint64_t object) const;
  int doorbell() const { return doorbell_.get(); }
  int memory_file() { return memory_.file().get(); }
  int pidfd() const { return pidfd_.get(); }
  pid_t pid() const { return pid_; }
  std::uint32_t serial() const { return serial_; }

  // It exists. The descriptor of the memory is closed: nobody else can map it any more.
  void born(pid_t pid, descriptor pidfd);

  // Writes the request and wakes it. `blob` is within the handler's bound.
  void begin(std::string_view blob, time_point deadline, std::chrono::nanoseconds cpu_max);

  enum class ring : std::uint8_t { answered, not_yet, unasked };
  // After the doorbell became readable: takes the ring.
  ring take_ring();
  // Whether the answer is there, whatever the doorbell says.
  bool is_answered() const;
  // Its answer was taken before its ring, which will still come.
  void owe_ring() { owes_ring_ = true; }
  struct answer {
    verdict how;
    outcome result;
    bool must_end;  // it broke the contract, or memory is short
  };
  // To the request it was given last, or to loading (`ready`, `unloadable`, or nonsense), copied
  // and validated. Once, after is_answered().
  answer take_answer() const;

  // SIGKILL. The end comes through pidfd().
  void kill();
  // After pidfd() became readable, or waiting for it: how it ended.
  outcome reap();

  std::chrono::nanoseconds cpu_used() const;
  std::size_t resident_bytes() const;

  // --- kept here for the pool ---
  phase now = phase::ordered;
  std::uint64_t ticket = 0;  // busy: the request's
  bool is_wanted = true;     // busy: somebody waits for the outcome
  time_point began{};        // busy: start() of the request
  time_point wall_end{};     // busy and loading
  time_point cpu_check{};    // busy: no CPU budget can be used up before
  std::chrono::nanoseconds cpu_before{};
  std::uint64_t served = 0;
  std::uint64_t served_at_look = 0;
  std::chrono::nanoseconds cpu_at_look{};
  std::size_t resident_when_ready = 0;
  bool was_killed_by_us = false;

 private:
  void take_response(std::size_t bytes, answer& said) const;
  fault_site site_of(int signal) const;

  shared_layout layout_;
  std::uint32_t serial_;
  std::uint64_t memory_bytes_max_;
  std::uint64_t stack_bytes_max_;
  std::uint64_t cpu_seconds_max_;
  std::string object_name_;
  shared_mapping memory_;
  descriptor doorbell_;
  descriptor pidfd_;
  pid_t pid_ = -1;
  bool owes_ring_ = false;
  std::uint32_t number_ = 1;  // loading is the first request
};

}  // namespace bulkhead::sandbox
