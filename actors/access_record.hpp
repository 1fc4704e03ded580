// What is known of a request, or of a connection that ended without one, when it is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "actors/reason.hpp"

namespace bulkhead {

// The views live during the call that hands the record over.
struct access_record {
  std::uint64_t request_id = 0;  // 0: no head was read
  std::string_view peer;         // "127.0.0.1:41234"
  std::string_view method;       // empty when no head was read
  std::string_view target;       // as sent; empty when no head was read
  int status = 0;                // of the answer; 0: none was sent
  bulkhead::reason why = bulkhead::reason::served;
  std::string_view detail;           // which rule was broken, or what was thrown; may be empty
  std::uint64_t bytes_received = 0;  // content of the request
  std::uint64_t bytes_sent = 0;      // head and content of the response, as handed to the system
  std::chrono::microseconds duration{0};  // from the head's first byte to the answer's last
};

// Takes every record. Called on the reactors' threads, on several at once; it must
// not block and must not throw.
using access_sink = std::function<void(const access_record&)>;

}  // namespace bulkhead
