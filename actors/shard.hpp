// What the sessions of one reactor share. Only its thread touches it, so nothing
// here is locked; counters may be read from anywhere.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "actors/runtime/reactor.hpp"
#include "actors/service.hpp"
#include "actors/workspace.hpp"
#include "protocol/date.hpp"

namespace bulkhead::actors {

// Written by one thread at a time, read by any.
class counter {
 public:
  void add(std::uint64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct shard_counters {
  counter accepted;
  counter sessions_refused;
  counter sessions_ended;
  counter requests;
  counter requests_refused;
  counter handler_exceptions;
};

class shard {
 public:
  shard(service& shared, reactor& where)
      : shared_(shared), home_(where), spares_(shared.settings.limits.fields_max) {}

  service& shared() { return shared_; }
  const config& settings() const { return shared_.settings; }
  reactor& home() { return home_; }
  workspace_pool& spares() { return spares_; }
  shard_counters& counters() { return counters_; }

  // The Date field's value now, formatted once a second.
  std::string_view date();
  // Unique in this process: the reactor in the upper bits, a count below.
  std::uint64_t next_request_id() {
    return (std::uint64_t{home_.index()} << 48) | ++request_count_;
  }

 private:
  service& shared_;
  reactor& home_;
  workspace_pool spares_;
  shard_counters counters_;
  std::uint64_t request_count_ = 0;
  std::time_t date_second_ = -1;
  std::array<char, protocol::date_bytes> date_{};
};

}  // namespace bulkhead::actors
