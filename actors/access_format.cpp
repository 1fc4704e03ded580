#include "actors/access_format.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace bulkhead {

namespace {

using time_point = std::chrono::system_clock::time_point;

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr int status_peer_left = 499;

void append_number(std::string& out, std::int64_t value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void append_padded(std::string& out, unsigned value, unsigned width) {
  std::array<char, 8> digits;
  for (unsigned i = width; i-- > 0; value /= 10) digits[i] = static_cast<char>('0' + value % 10);
  out.append(digits.data(), width);
}

void append_id(std::string& out, std::uint64_t id) {
  for (int shift = 60; shift >= 0; shift -= 4) out += hex_digits[id >> shift & 15];
}

// RFC 3339 in UTC, to the millisecond. Not gmtime_r, which takes a lock.
void append_time(std::string& out, time_point now) {
  using namespace std::chrono;
  const auto day = floor<days>(now);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<milliseconds>(now - day));
  append_padded(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  append_padded(out += '-', static_cast<unsigned>(date.month()), 2);
  append_padded(out += '-', static_cast<unsigned>(date.day()), 2);
  append_padded(out += 'T', static_cast<unsigned>(clock.hours().count()), 2);
  append_padded(out += ':', static_cast<unsigned>(clock.minutes().count()), 2);
  append_padded(out += ':', static_cast<unsigned>(clock.seconds().count()), 2);
  append_padded(out += '.', static_cast<unsigned>(clock.subseconds().count()), 3);
  out += 'Z';
}

bool is_plain(char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void append_special(std::string& out, log_format format, char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\')
    (out += '\\') += c;
  else
    ((out += format == log_format::json ? "\\u00" : "\\x") += hex_digits[byte >> 4]) +=
        hex_digits[byte & 15];
}

// At most `bytes_max` of it, for inside quotes.
void append_escaped(std::string& out, log_format format, std::string_view text,
                    std::size_t bytes_max) {
  auto rest = text.substr(0, bytes_max);
  for (;;) {
    const auto special = std::find_if_not(rest.begin(), rest.end(), is_plain);
    out.append(rest.begin(), special);
    if (special == rest.end()) break;
    append_special(out, format, *special);
    rest.remove_prefix(static_cast<std::size_t>(special - rest.begin()) + 1);
  }
  if (text.size() > bytes_max) out += "...";
}

int logged_status(const access_record& record) {
  const bool left = record.why == reason::peer_left || record.why == reason::peer_reset;
  return record.status == 0 && left ? status_peer_left : record.status;
}

void append_status(std::string& out, const access_record& record, std::string_view none) {
  const int status = logged_status(record);
  if (status == 0)
    out += none;
  else
    append_number(out, std::int64_t{status});
}

void append_json(std::string& out, const access_record& record) {
  constexpr auto json = log_format::json;
  append_id(out += ",\"id\":\"", record.request_id);
  append_escaped(out += "\",\"peer\":\"", json, record.peer, logged_word_bytes_max);
  append_escaped(out += "\",\"method\":\"", json, record.method, logged_word_bytes_max);
  append_escaped(out += "\",\"target\":\"", json, record.target, logged_target_bytes_max);
  append_status(out += "\",\"status\":", record, "null");
  (out += ",\"reason\":\"") += name_of(record.why);
  append_escaped(out += "\",\"detail\":\"", json, record.detail, logged_detail_bytes_max);
  append_number(out += "\",\"received_bytes\":", record.bytes_received);
  append_number(out += ",\"sent_bytes\":", record.bytes_sent);
  append_number(out += ",\"duration_us\":", std::int64_t{record.duration.count()});
  out += "}\n";
}

void append_text(std::string& out, const access_record& record) {
  constexpr auto text = log_format::text;
  append_id(out += ' ', record.request_id);
  out += ' ';
  append_escaped(out, text, record.peer.empty() ? "-" : record.peer, logged_word_bytes_max);
  append_escaped(out += " \"", text, record.method, logged_word_bytes_max);
  append_escaped(out += ' ', text, record.target, logged_target_bytes_max);
  append_status(out += "\" ", record, "-");
  (out += ' ') += name_of(record.why);
  append_escaped(out += " \"", text, record.detail, logged_detail_bytes_max);
  append_number(out += "\" received=", record.bytes_received);
  append_number(out += " sent=", record.bytes_sent);
  append_number(out += " us=", std::int64_t{record.duration.count()});
  out += '\n';
}

// What every line begins with.
void append_start(std::string& out, log_format format, time_point now, std::string_view level) {
  const bool json = format == log_format::json;
  if (json) out += "{\"time\":\"";
  append_time(out, now);
  ((out += json ? "\",\"level\":\"" : " ") += level) += json ? "\"" : "";
}

void append_event(std::string& out, log_format format, std::string_view event,
                  std::uint64_t records) {
  const bool json = format == log_format::json;
  (out += json ? ",\"event\":\"" : " ") += event;
  append_number(out += json ? "\",\"records\":" : " records=", records);
}

}  // namespace

std::string_view level_of(reason why) {
  using enum reason;
  switch (why) {
    case served:
      return "info";
    case overloaded:
    case shed:
    case out_of_descriptors:
    case drain:
      return "warning";
    default:
      return is_peers_doing(why) ? "debug" : "error";
  }
}

bool is_peers_doing(reason why) {
  using enum reason;
  switch (why) {
    case closed:
    case peer_left:
    case peer_reset:
    case bad_head:
    case bad_framing:
    case too_large:
    case incomplete:
    case plain_http:
    case handshake_failed:
    case tls_error:
    case handshake_timeout:
    case first_byte_timeout:
    case head_timeout:
    case content_timeout:
    case content_too_slow:
    case write_stall:
    case idle_timeout:
    case overloaded:
    case out_of_descriptors:
      return true;
    default:
      return false;
  }
}

void append_line(std::string& out, log_format format, const access_record& record, time_point now) {
  append_start(out, format, now, level_of(record.why));
  if (format == log_format::json)
    append_json(out, record);
  else
    append_text(out, record);
}

void append_dropped(std::string& out, log_format format, std::uint64_t records, time_point now) {
  append_start(out, format, now, "warning");
  append_event(out, format, "dropped", records);
  out += format == log_format::json ? "}\n" : "\n";
}

void append_suppressed(std::string& out, log_format format, const reason_counts& counts,
                       time_point now) {
  const bool json = format == log_format::json;
  append_start(out, format, now, "info");
  append_event(out, format, "suppressed",
               std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  if (json) out += ",\"reasons\":{";
  bool first = true;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    if (json) out += first ? "\"" : ",\"";
    (out += json ? "" : " ") += name_of(static_cast<reason>(i));
    append_number(out += json ? "\":" : "=", counts[i]);
    first = false;
  }
  out += json ? "}}\n" : "\n";
}

}  // namespace bulkhead
