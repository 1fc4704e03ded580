// Which request each thread runs user code for, on a page that outlives the process: a
// supervisor reads there what its worker died of.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead::actors {

class flight_recorder {
 public:
  // Memory shared with every process that is forked from now on. Throws
  // std::system_error.
  flight_recorder();
  ~flight_recorder();
  flight_recorder(const flight_recorder&) = delete;
  flight_recorder& operator=(const flight_recorder&) = delete;

  // From now on, notes of this process go here, and a signal that is a fault of the
  // code's (SIGSEGV and the like, SIGABRT) is noted with its thread before it kills.
  // Once a process.
  void record_this_process();

  struct flight {
    std::uint64_t request_id = 0;  // 0: the thread was outside of user code
    std::string what;              // "GET /users/{id}"
    int signal = 0;                // that this thread died of; 0: it did not
  };
  // Of the process that recorded last and is gone: the thread that died first.
  std::vector<flight> read() const;
  // For the next process.
  void clear();

 private:
  struct page;
  page* page_;
};

// While one lives, this thread runs user code for that request. Costs two stores and a
// short copy when something records, a load when nothing does.
class flight_note {
 public:
  flight_note(std::uint64_t request_id, std::string_view method, std::string_view route);
  ~flight_note() {
    if (request_id_) request_id_->store(0, std::memory_order_release);
  }
  flight_note(const flight_note&) = delete;
  flight_note& operator=(const flight_note&) = delete;

 private:
  std::atomic<std::uint64_t>* request_id_ = nullptr;
};

}  // namespace bulkhead::actors
