#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "protocol/limits.hpp"

namespace bulkhead {

// Everything that can be set about a server. Every bound has a safe default;
// server::start() refuses values that make no sense and names the setting.
struct config {
  // ADDRESS:PORT, IPv6 in brackets; port 0 lets the system choose.
  std::vector<std::string> listen{"127.0.0.1:8080"};

  // Reactors, each an epoll loop on a thread of its own; 0: one a CPU that
  // this process may use (affinity and cgroup quota respected). At most 256.
  unsigned threads = 0;

  // Threads beyond that which may be stuck in handlers that spin or block
  // before the reactors themselves are stuck. At most 1024.
  unsigned spare_threads_max = 64;

  // Connections at once; the one after that is answered 503 and closed.
  std::size_t sessions_max = 10'000;

  protocol::limits limits{};

  // Absolute, from the first byte of a request to the end of its head; then 408.
  std::chrono::milliseconds head_deadline{10'000};
  // Absolute, from accept or the last answer to the next request's first byte;
  // then the connection is closed without an answer.
  std::chrono::milliseconds idle_deadline{60'000};
  // How long a closing connection is read, and its bytes dropped, so that the
  // last answer reaches a client that is still sending (RFC 9112 section 9.6).
  std::chrono::milliseconds linger_deadline{2'000};
};

}  // namespace bulkhead
