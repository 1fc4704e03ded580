// Records for tests of the access log, and their lines at one time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "actors/access_format.hpp"

namespace bulkhead::tests {

inline constexpr std::chrono::system_clock::time_point noon{
    std::chrono::milliseconds{1'714'979'289'123}};

inline std::string line_of(const access_record& record, log_format format = log_format::json) {
  std::string line;
  append_line(line, format, record, noon);
  return line;
}

inline access_record served_record(std::string_view target = "/x") {
  access_record record;
  record.request_id = 0x00010000000000ab;
  record.peer = "127.0.0.1:41234";
  record.method = "GET";
  record.target = target;
  record.status = 200;
  record.bytes_sent = 123;
  record.duration = std::chrono::microseconds(456);
  return record;
}

inline access_record ended_record(reason why, int status = 0) {
  access_record record;
  record.peer = "127.0.0.1:41234";
  record.why = why;
  record.status = status;
  return record;
}

}  // namespace bulkhead::tests
