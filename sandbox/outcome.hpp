// How a request to a sandbox ended: the same for every executor.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bulkhead::sandbox {

// Exactly one for each request that was started.
enum class outcome_kind : std::uint8_t {
  response,       // `blob` holds it, validated
  exception,      // the handler threw or said that it failed; it goes on
  trap,           // a WebAssembly trap
  crashed,        // the process died: `signal`, or `exit_code`
  deadline,       // wall clock or CPU: `budget`
  out_of_memory,  // an allocation was refused
  protocol,       // an answer that is none: lengths, format, too large, or not asked for
  overloaded,     // not started: no place in the queue, or the request is too large
  gone,           // not started or not finished: the handler cannot be loaded or was removed
};
const char* to_string(outcome_kind kind);

enum class budget_kind : std::uint8_t { none, wall, cpu };

// Where a fault was. Of a process it is the guest's own word: escape it.
struct fault_site {
  std::string program_counter;  // "handler.so+0x1a2b" as addr2line takes it, or "0x1a2b"
  std::string symbol;           // "function+0x1c", not demangled; empty: none is known
  std::string address;          // "0x0", what it may not touch; empty: it was no such fault

  bool is_known() const { return !program_counter.empty(); }
};

struct outcome {
  outcome_kind kind = outcome_kind::gone;
  budget_kind budget = budget_kind::none;
  int signal = 0;     // that ended the process, 0: none
  int exit_code = 0;  // when it ended by itself
  fault_site site;    // of a crash or trap, and of a module that was cut off
  // A copy of our own, read with blob_view; empty unless there is a response.
  std::string blob;
  // One line for the owner. May quote the guest, at most 512 octets of it: escape it.
  std::string detail;
  // What the guest logged, lines that end with \n; its octets.
  std::string log;
  // From start to end, the time in the queue included.
  std::chrono::nanoseconds wall{};
  // Of the sandbox, for this request; 0 where it could not be read. Only for requests that were
  // cut off or that crashed: reading it costs a system call.
  std::chrono::nanoseconds cpu{};
};

}  // namespace bulkhead::sandbox
