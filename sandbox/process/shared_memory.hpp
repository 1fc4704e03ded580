// The memory that one worker and the server share, and the numbers in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bulkhead::sandbox {

// Octets of a text, and how many of them count.
template <std::size_t Size>
struct shared_text {
  std::atomic<std::uint32_t> bytes;
  char octets[Size];
};

// A page, then log, request and response, each from a page on.
//
// The guest can write anywhere in it at any time. The server therefore reads each number of the
// worker's side once, into a variable of its own, checks that, and copies what it announces before
// looking at it. It never reads back what it wrote.
struct shared_page {
  // --- the server's side
  // The number of the request, also the futex that the worker sleeps on. 1: load the guest.
  alignas(64) std::atomic<std::uint32_t> request_number;
  std::uint32_t request_bytes;
  std::int64_t wall_deadline_ns;  // CLOCK_MONOTONIC
  std::int64_t cpu_budget_ns;

  // --- the worker's side
  // The number of the request that is answered: stored last, with release.
  alignas(64) std::atomic<std::uint32_t> done_number;
  std::atomic<std::uint32_t> verdict;  // enum verdict
  std::atomic<std::uint32_t> response_bytes;
  std::atomic<std::uint32_t> log_bytes;
  std::atomic<std::uint32_t> detail_bytes;
  char detail[512];
  // When it crashes and can still say: the signal, stored last; where, counted from the guest's own
  // object when the text begins with '+'; in which function; at which address it was denied.
  std::atomic<std::uint32_t> crash_signal;
  shared_text<64> program_counter;
  shared_text<256> symbol;
  shared_text<24> fault_address;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

enum class verdict : std::uint32_t {
  ready,       // to number 1: the guest is loaded
  unloadable,  // to number 1: it is not, see detail; the worker exits
  response,
  exception,
  no_memory,
  too_large,
  bad_code,  // bulkhead_handle returned something else
};

struct shared_layout {
  std::uint32_t request_bytes_max;
  std::uint32_t response_bytes_max;
  std::uint32_t log_bytes_max;

  static constexpr std::size_t page_bytes = 4096;
  static constexpr std::size_t whole_pages(std::size_t bytes) {
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }
  constexpr std::size_t log_at() const { return page_bytes; }
  constexpr std::size_t request_at() const { return log_at() + whole_pages(log_bytes_max); }
  constexpr std::size_t response_at() const {
    return request_at() + whole_pages(request_bytes_max);
  }
  constexpr std::size_t bytes() const { return response_at() + whole_pages(response_bytes_max); }
};
static_assert(sizeof(shared_page) <= shared_layout::page_bytes);

}  // namespace bulkhead::sandbox
