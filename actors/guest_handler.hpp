// A handler that nobody trusts: a file that somebody built, and what it may use.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bulkhead {

// Answers a route in a sandbox, or, if it is trusted, without one. Every bound is that of one
// request unless it says otherwise; what a guest is cut off for, and how that is answered, is
// listed in guest_answer.hpp.
struct guest_handler {
  std::string path{};                       // a route's pattern, see server::route()
  std::vector<std::string> methods{"GET"};  // HEAD goes with GET
  // "process": a shared object that defines bulkhead_handle, in processes of its own; "wasm": a
  // WebAssembly module that exports it, on the reactors' threads, a new instance each request;
  // "inline": the object again, trusted, loaded into the server, on the same threads. Then `cpu`
  // and `memory_bytes` are only told to it, and at `wall` its client is answered in its place.
  std::string run{"process"};
  std::string file{};  // see sandbox/bulkhead_guest.h

  // Requests at once; of processes divided among the reactors, at least one each, and spare ones,
  // each reactor's.
  unsigned concurrency = 2;
  unsigned spares = 1;
  // Beyond these, how many may wait until `wall` (for a process: on each reactor); and how long
  // others try to get a place, each millisecond, before they are answered 503.
  unsigned queue = 64;
  std::chrono::milliseconds queue_wait{100};

  std::chrono::milliseconds wall{10'000};  // waiting in the queue included
  std::chrono::milliseconds cpu{5'000};
  std::size_t memory_bytes = std::size_t{64} << 20;
  std::size_t request_bytes = std::size_t{1} << 20;   // as a message, sandbox/BLOB.md; else 413
  std::size_t response_bytes = std::size_t{1} << 20;  // the same
  std::uint64_t recycle_requests = 100'000;           // process: replaced after so many; 0: never

  // The circuit opens when, of the requests within breaker_window, at least breaker_faults and at
  // least half ended in a fault; it stays open for breaker_open, then lets one through to see.
  unsigned breaker_faults = 20;  // 0: never opens
  std::chrono::milliseconds breaker_window{10'000};
  std::chrono::milliseconds breaker_open{5'000};

  bool operator==(const guest_handler&) const = default;
};

}  // namespace bulkhead
