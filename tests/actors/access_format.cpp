// What a line of the access log looks like, whatever a peer sends.
#include "actors/access_format.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/access_records.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

// The bytes that a JSON string of the log stands for: \u00XX is one byte.
std::string bytes_of(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80)
      bytes += text[i];
    else
      bytes += static_cast<char>((lead & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 63));
  }
  return bytes;
}

}  // namespace

TEST_CASE("append_line writes every member of a record as JSON", "[access_format]") {
  CHECK(line_of(served_record()) ==
        R"({"time":"2024-05-06T07:08:09.123Z","level":"info","id":"00010000000000ab",)"
        R"("peer":"127.0.0.1:41234","method":"GET","target":"/x","status":200,)"
        R"("reason":"served","detail":"","received_bytes":0,"sent_bytes":123,"duration_us":456})"
        "\n");
}

TEST_CASE("append_line writes the same as text", "[access_format]") {
  CHECK(line_of(served_record(), log_format::text) ==
        "2024-05-06T07:08:09.123Z info 00010000000000ab 127.0.0.1:41234 \"GET /x\" 200 served"
        " \"\" received=0 sent=123 us=456\n");
}

TEST_CASE("append_line keeps whatever bytes a peer sends on one valid line",
          "[access_format][B151]") {
  std::string hostile = "/\"},{\"status\":200}\r\n2024 info \xff\xc3(\x1b[2J\x7f\\";
  for (int c = 0; c < 256; ++c) hostile += static_cast<char>(c);
  auto record = served_record(hostile);
  record.detail = hostile;
  record.method = "G\"\n";
  record.peer = "[::1]:1\n";
  const auto line = line_of(record);
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(line.find_first_not_of("\n", line.find('\n')) == line.npos);
  for (const char c : line) CHECK((c == '\n' || (c >= 0x20 && c < 0x7f)));
  const auto parsed = json::parse(line);
  CHECK(bytes_of(parsed.at("target")) == hostile);
  CHECK(bytes_of(parsed.at("detail")) == hostile);
  CHECK(bytes_of(parsed.at("method")) == "G\"\n");
  CHECK(parsed.size() == 12);

  const auto text = line_of(record, log_format::text);
  for (const char c : text.substr(0, text.size() - 1)) CHECK((c >= 0x20 && c < 0x7f));
  std::size_t quotes = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      ++quotes;
  }
  CHECK(quotes == 4);
}

TEST_CASE("append_line cuts what is very long and says so", "[access_format]") {
  const std::string fits(logged_target_bytes_max, 'a');
  CHECK(json::parse(line_of(served_record(fits))).at("target") == fits);
  CHECK(json::parse(line_of(served_record(fits + "b"))).at("target") == fits + "...");
}

TEST_CASE("append_line gives a peer that left before its answer a status of its own",
          "[access_format][B154]") {
  CHECK(json::parse(line_of(ended_record(reason::peer_left))).at("status") == 499);
  CHECK(json::parse(line_of(ended_record(reason::peer_reset))).at("status") == 499);
  CHECK(json::parse(line_of(ended_record(reason::peer_reset, 200))).at("status") == 200);
  CHECK(json::parse(line_of(ended_record(reason::idle_timeout))).at("status").is_null());
  CHECK_THAT(line_of(ended_record(reason::peer_left), log_format::text),
             Catch::Contains(" 499 peer_left "));
  CHECK_THAT(line_of(ended_record(reason::idle_timeout), log_format::text),
             Catch::Contains(" - idle_timeout "));
}

TEST_CASE("append_line names every reason differently", "[access_format][B155]") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < reason_count; ++i)
    names.push_back(json::parse(line_of(ended_record(static_cast<reason>(i)))).at("reason"));
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(names.size() == reason_count);
}

TEST_CASE("level_of keeps errors for faults that are not the peer's", "[access_format][B152]") {
  for (std::size_t i = 0; i < reason_count; ++i) {
    const auto why = static_cast<reason>(i);
    INFO(name_of(why));
    if (is_peers_doing(why)) CHECK(level_of(why) != "error");
  }
  CHECK(level_of(reason::bad_head) == "debug");
  CHECK(level_of(reason::peer_reset) == "debug");
  CHECK(level_of(reason::served) == "info");
  CHECK(level_of(reason::overloaded) == "warning");
  CHECK(level_of(reason::exception) == "error");
  CHECK(level_of(reason::internal) == "error");
  CHECK_FALSE(is_peers_doing(reason::served));
  CHECK_FALSE(is_peers_doing(reason::exception));
}
