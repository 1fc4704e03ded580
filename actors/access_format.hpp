// One access record as one line, as JSON or as text. No clock, no I/O.
//
// JSON, every member always there:
//   {"time":"2024-05-06T07:08:09.123Z","level":"info","id":"00010000000000ab",
//    "peer":"127.0.0.1:41234","method":"GET","target":"/x","status":200,"reason":"served",
//    "detail":"","received_bytes":0,"sent_bytes":123,"duration_us":456}
// Text, the same in the same order:
//   2024-05-06T07:08:09.123Z info 00010000000000ab 127.0.0.1:41234 "GET /x" 200 served
//   "" received=0 sent=123 us=456
//
// What a peer chose can't end a line, leave its quotes or reach a terminal: each byte
// outside printable ASCII is written as \u00XX (JSON) or \xXX (text), XX being its value.
// An id of zeros: no head was read. Status 499 is the log's own, never sent: the peer
// left before its answer. A status of null (text: -): no answer was sent for another
// reason, which `reason` gives.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "actors/access_record.hpp"
#include "actors/reason.hpp"

namespace bulkhead {

enum class log_format : std::uint8_t { json, text };

// How much of a record's longest parts a line shows; "..." follows what was cut.
inline constexpr std::size_t logged_target_bytes_max = 2048;
inline constexpr std::size_t logged_detail_bytes_max = 512;
inline constexpr std::size_t logged_word_bytes_max = 64;  // peer, method

// "debug": the peer's doing; "info": served; "warning": a bound of ours was reached;
// "error": a handler's fault or our own.
std::string_view level_of(reason why);

// Whether somebody outside can cause any number of records with it, without a request
// that is served: access_log limits these.
bool is_peers_doing(reason why);

// Appends the line with its newline.
void append_line(std::string& out, log_format format, const access_record& record,
                 std::chrono::system_clock::time_point now);

using reason_counts = std::array<std::uint64_t, reason_count>;

// A line about records that are not there:
//   {"time":"...","level":"warning","event":"dropped","records":12}
//   ... warning dropped records=12
void append_dropped(std::string& out, log_format format, std::uint64_t records,
                    std::chrono::system_clock::time_point now);
//   {"time":"...","level":"info","event":"suppressed","records":12,"reasons":{"bad_head":12}}
//   ... info suppressed records=12 bad_head=12
void append_suppressed(std::string& out, log_format format, const reason_counts& counts,
                       std::chrono::system_clock::time_point now);

}  // namespace bulkhead
