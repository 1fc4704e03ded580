// Handlers that run on the thread that calls them.
#pragma once

#include <chrono>
#include <string_view>

#include "sandbox/outcome.hpp"

namespace bulkhead::sandbox {

class thread_executor {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  virtual ~thread_executor() = default;

  // A blob as blob_writer makes it. The wall budget counts from `now`, which may be past. Any
  // thread; std::bad_alloc is the only exception.
  virtual outcome call(std::string_view blob, time_point now) = 0;

  // Cuts off what runs, as if its time were over, where that can be done, and refuses what comes.
  // Any thread.
  virtual void end() {}
};

}  // namespace bulkhead::sandbox
