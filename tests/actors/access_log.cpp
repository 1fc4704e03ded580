// The access log: who is limited, and what happens when the output is slow, broken or
// renamed.
#include "actors/access_log.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/access_records.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace bulkhead;
using namespace bulkhead::tests;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

using time_point = std::chrono::system_clock::time_point;

std::vector<json> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) {
    INFO(line);
    REQUIRE(json::accept(line));
    lines.push_back(json::parse(line));
  }
  return lines;
}

std::atomic<std::int64_t> set_ms{0};
time_point set_clock() {
  return time_point(std::chrono::milliseconds(set_ms.load()));
}

struct pipe_ends {
  pipe_ends() { REQUIRE(::pipe2(fds, O_CLOEXEC) == 0); }
  ~pipe_ends() {
    close_reader();
    ::close(fds[1]);
  }
  void close_reader() {
    if (fds[0] >= 0) ::close(std::exchange(fds[0], -1));
  }
  std::string read_some() {
    std::string bytes(1u << 16, '\0');
    const auto count = ::read(fds[0], bytes.data(), bytes.size());
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }
  int fds[2] = {-1, -1};
};

}  // namespace

// ------------------------------------------------------------------- writing

TEST_CASE("access_log writes a record of every reason to its file", "[access_log][B151][B155]") {
  const temporary_folder place;
  const auto path = place.file("access.log");
  {
    access_log log({.path = path});
    const auto sink = log.sink();
    sink(served_record());
    for (std::size_t i = 0; i < reason_count; ++i) sink(ended_record(static_cast<reason>(i)));
    REQUIRE(log.flush(10s));
    CHECK(log.counts().written == reason_count + 1);
  }
  const auto lines = lines_of(path);
  REQUIRE(lines.size() == reason_count + 1);
  CHECK(lines[0].at("target") == "/x");
  for (std::size_t i = 0; i < reason_count; ++i)
    CHECK(lines[i + 1].at("reason") == name_of(static_cast<reason>(i)));
}

TEST_CASE("access_log writes what is left when it ends", "[access_log]") {
  const temporary_folder place;
  {
    access_log log({.path = place.file("a"), .flush_interval = 10s});
    for (int i = 0; i < 1000; ++i) log.write(served_record());
  }
  CHECK(lines_of(place.file("a")).size() == 1000);
}

TEST_CASE("access_log appends to what is there and hides queries when told", "[access_log][B157]") {
  const temporary_folder place;
  for (int i = 0; i < 2; ++i) {
    access_log log({.path = place.file("a"), .queries = false});
    log.write(served_record("/login?token=secret"));
  }
  const auto lines = lines_of(place.file("a"));
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].at("target") == "/login");
}

TEST_CASE("access_log names the file that it can't open and why", "[access_log][B157]") {
  const temporary_folder place;
  const auto path = place.file("missing/access.log");
  CHECK_THROWS_AS(access_log({.path = path}), std::system_error);
  CHECK_THROWS_WITH(access_log({.path = path}),
                    Catch::Contains(path) && Catch::Contains("No such file"));
}

TEST_CASE("access_log continues in a new file after a rotation", "[access_log]") {
  const temporary_folder place;
  const auto path = place.file("access.log");
  access_log log({.path = path});
  log.write(served_record("/1"));
  REQUIRE(log.flush(10s));
  std::filesystem::rename(path, place.file("access.log.1"));
  log.reopen();
  log.write(served_record("/2"));
  REQUIRE(log.flush(10s));
  CHECK(lines_of(place.file("access.log.1")).size() == 1);
  CHECK(lines_of(path).at(0).at("target") == "/2");
}

TEST_CASE("access_log keeps its file when a new one can't be opened", "[access_log]") {
  const temporary_folder place;
  std::filesystem::create_directory(place.file("d"));
  access_log log({.path = place.file("d/access.log")});
  std::filesystem::rename(place.file("d"), place.file("e"));
  CHECK_THROWS_AS(log.reopen(), std::system_error);
  log.write(served_record());
  REQUIRE(log.flush(10s));
  CHECK(lines_of(place.file("e/access.log")).size() == 1);
}

// -------------------------------------------------------------------- limits

TEST_CASE("access_log sums up peers' faults beyond its limit and never what is served",
          "[access_log][B152]") {
  const temporary_folder place;
  set_ms = 1'000'000;
  access_log log({.path = place.file("a"), .peer_faults_max = 10, .clock = set_clock});
  for (int i = 0; i < 6000; ++i) {
    if (i % 1000 == 0) REQUIRE(log.flush(10s));  // no reason for more summaries
    log.write(ended_record(reason::bad_head, 400));
    if (i % 2 == 0) log.write(ended_record(reason::peer_reset));
    if (i % 10 == 0) log.write(served_record());
    if (i % 100 == 0) log.write(ended_record(reason::exception, 500));
  }
  REQUIRE(log.flush(10s));
  set_ms = 1'001'000;  // the next second
  log.write(ended_record(reason::head_timeout, 408));
  REQUIRE(log.flush(10s));

  std::map<std::string, std::uint64_t> seen;
  std::map<std::string, std::uint64_t> summed;
  std::size_t summaries = 0;
  for (const auto& line : lines_of(place.file("a"))) {
    if (!line.contains("event")) {
      ++seen[line.at("reason")];
      continue;
    }
    ++summaries;
    CHECK(line.at("event") == "suppressed");
    std::uint64_t sum = 0;
    for (const auto& [why, count] : line.at("reasons").items()) {
      summed[why] += count.get<std::uint64_t>();
      sum += count.get<std::uint64_t>();
    }
    CHECK(line.at("records") == sum);
  }
  CHECK(summaries >= 1);
  CHECK(summaries <= 2);
  CHECK(seen["served"] == 600);
  CHECK(seen["exception"] == 60);
  CHECK(seen["head_timeout"] == 1);
  CHECK(seen["bad_head"] + seen["peer_reset"] == 10);
  CHECK(seen["bad_head"] + summed["bad_head"] == 6000);
  CHECK(seen["peer_reset"] + summed["peer_reset"] == 3000);
  CHECK(log.counts().suppressed == 8990);
}

TEST_CASE("access_log drops records while a pipe is full and says how many", "[access_log]") {
  pipe_ends ends;
  std::string got;
  std::thread reader;
  {
    access_log log({.descriptor = ends.fds[1], .buffer_bytes_max = 64u << 10});
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 20'000; ++i) log.write(served_record());
    // Nobody reads: whoever writes to the pipe waits, and it is not this thread.
    CHECK(std::chrono::steady_clock::now() - begun < 5s);
    CHECK(log.counts().dropped > 0);
    // Also while the log ends: what is not read by then is lost.
    reader = std::thread([&] {
      for (auto more = ends.read_some(); !more.empty(); more = ends.read_some()) got += more;
    });
  }
  ::close(std::exchange(ends.fds[1], -1));
  reader.join();
  std::istringstream lines(got);
  std::uint64_t records = 0;
  std::uint64_t dropped = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto parsed = json::parse(line);
    if (parsed.contains("event"))
      dropped += parsed.at("records").get<std::uint64_t>();
    else
      ++records;
  }
  CHECK(records + dropped == 20'000);
}

TEST_CASE("access_log ends within seconds although its pipe takes nothing", "[access_log]") {
  pipe_ends ends;
  const auto begun = std::chrono::steady_clock::now();
  {
    access_log log({.descriptor = ends.fds[1]});
    for (int i = 0; i < 10'000; ++i) log.write(served_record());
  }
  CHECK(std::chrono::steady_clock::now() - begun < 20s);
}

TEST_CASE("access_log survives a pipe whose reader has gone", "[access_log]") {
  pipe_ends ends;
  ends.close_reader();
  access_log log({.descriptor = ends.fds[1]});
  for (int i = 0; i < 100; ++i) log.write(served_record());
  REQUIRE(log.flush(10s));
  CHECK(log.counts().written == 0);
  CHECK(log.counts().dropped == 100);
}

TEST_CASE("access_log tells what a full disk refused once there is room", "[access_log]") {
  const temporary_folder place;
  const int output = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(output >= 0);
  {
    access_log log({.descriptor = output});
    log.write(served_record());
    log.write(served_record());
    REQUIRE(log.flush(10s));
    CHECK(log.counts().dropped == 2);
    const int room = ::open(place.file("a").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(::dup3(room, output, O_CLOEXEC) == output);
    ::close(room);
    log.write(served_record("/after"));
    REQUIRE(log.flush(10s));
  }
  ::close(output);
  // Which of both comes first depends on when the writer tries again by itself.
  const auto lines = lines_of(place.file("a"));
  REQUIRE(lines.size() == 2);
  const auto& told = lines[lines[0].contains("event") ? 0 : 1];
  CHECK(told.at("event") == "dropped");
  CHECK(told.at("records") == 2);
}

TEST_CASE("access_log ends a line that was torn before it writes the next", "[access_log]") {
  const temporary_folder place;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto whole = line_of(served_record()).size();
  {
    access_log log({.path = place.file("a")});
    auto small = before;
    small.rlim_cur = 2 * whole + whole / 2;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    for (int i = 0; i < 4; ++i) log.write(served_record());
    const bool flushed = log.flush(10s);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    REQUIRE(flushed);
    CHECK(log.counts().written == 2);
    CHECK(log.counts().dropped == 2);
    log.write(served_record("/after"));
    REQUIRE(log.flush(10s));
  }
  std::ifstream file(place.file("a"));
  int valid = 0;
  int torn = 0;
  for (std::string line; std::getline(file, line);) ++(json::accept(line) ? valid : torn);
  CHECK(valid == 4);  // two, what was dropped, and the last
  CHECK(torn == 1);
}

// ------------------------------------------------------------------- threads

TEST_CASE("access_log takes records from many threads while it is rotated", "[access_log]") {
  constexpr int threads = 6;
  constexpr int each = 3000;
  const temporary_folder place;
  const auto path = place.file("access.log");
  int rotations = 0;
  {
    // Room for all of them, should the writer not run in between.
    access_log log({.path = path, .buffer_bytes_max = 64u << 20, .flush_interval = 1ms});
    std::atomic<int> running{threads};
    std::vector<std::thread> writers;
    for (int t = 0; t < threads; ++t) {
      writers.emplace_back([&, t] {
        const auto sink = log.sink();
        for (int i = 0; i < each; ++i) {
          const auto target = "/" + std::to_string(t) + "/" + std::to_string(i);
          sink(served_record(target));
          if (i % 16 == 0) sink(ended_record(reason::bad_framing, 400));
        }
        --running;
      });
    }
    while (running > 0) {
      std::filesystem::rename(path, path + "." + std::to_string(rotations++));
      log.reopen();
      static_cast<void>(log.counts());
      std::this_thread::sleep_for(1ms);
    }
    for (auto& writer : writers) writer.join();
    REQUIRE(log.flush(10s));
    CHECK(log.counts().dropped == 0);
  }
  std::size_t records = 0;
  std::vector<std::string> targets;
  for (int i = -1; i < rotations; ++i) {
    for (const auto& line : lines_of(i < 0 ? path : path + "." + std::to_string(i))) {
      if (!line.contains("event") && line.at("reason") == "served")
        targets.push_back(line.at("target"));
      ++records;
    }
  }
  std::sort(targets.begin(), targets.end());
  CHECK(targets.size() == threads * each);
  CHECK(std::adjacent_find(targets.begin(), targets.end()) == targets.end());
}
