// What server and zygote say to each other, over a SOCK_SEQPACKET pair that only they hold. Both
// are built together, so there is no version; a message of another size is a bug.
#pragma once

#include <cstdint>

namespace bulkhead::sandbox::wire {

inline constexpr int control_fd = 3;  // in the zygote

// The first message to the zygote.
struct setup {
  std::uint32_t without;    // bits of layers that must not be tried
  std::uint32_t uid_first;  // own_user: sandboxes run as uid_first .. uid_first + uid_count - 1
  std::uint32_t uid_count;
  char libraries[1024];  // paths that a guest may load from, separated by colons, terminated
};

enum class order_kind : std::uint32_t { spawn, forget };

// With spawn come three descriptors: doorbell, shared memory, the sealed object.
struct order {
  order_kind kind;
  std::uint32_t serial;  // given back in the report
  std::uint64_t object;  // names the object's content for the life of the zygote
  std::uint64_t memory_bytes_max;
  std::uint64_t stack_bytes_max;
  std::uint64_t cpu_seconds_max;  // of the whole life of the worker
  std::uint32_t request_bytes_max;
  std::uint32_t response_bytes_max;
  std::uint32_t log_bytes_max;
};
inline constexpr unsigned order_descriptors = 3;

enum class report_kind : std::uint32_t { hello, spawned, failed };

// With spawned comes the pidfd.
struct report {
  report_kind kind;
  std::uint32_t serial;
  std::uint32_t layers;  // hello: bits of those that hold
  std::int32_t pid;      // spawned: in the zygote's PID namespace, which is the server's
  std::int32_t error;    // failed: errno
};

}  // namespace bulkhead::sandbox::wire
