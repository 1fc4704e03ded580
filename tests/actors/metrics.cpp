// The exposition is checked line by line against its format, as promtool would.
#include "actors/metrics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>

using namespace bulkhead;
using namespace bulkhead::actors;
using namespace std::chrono_literals;

namespace {

// Reads an exposition and fails the test on anything that the format forbids or
// promtool complains of.
class exposition {
 public:
  explicit exposition(const std::string& text) {
    REQUIRE(!text.empty());
    REQUIRE(text.back() == '\n');
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      if (line.starts_with("# HELP "))
        begin_family(line.substr(7));
      else if (line.starts_with("# TYPE "))
        take_type(line.substr(7));
      else
        take_sample(line);
    }
    check_histograms();
  }
  // The value of a sample, named with its labels as they stand in the text.
  double at(const std::string& sample) const {
    INFO(sample);
    REQUIRE(samples_.count(sample) == 1);
    return samples_.at(sample);
  }
  const std::map<std::string, double>& samples() const { return samples_; }

 private:
  void begin_family(const std::string& rest) {
    const auto space = rest.find(' ');
    REQUIRE(space != rest.npos);
    REQUIRE(rest.size() > space + 1);
    family_ = rest.substr(0, space);
    REQUIRE(std::regex_match(family_, std::regex("[a-zA-Z_:][a-zA-Z0-9_:]*")));
    REQUIRE(types_.count(family_) == 0);
  }
  void take_type(const std::string& rest) {
    REQUIRE(rest.starts_with(family_ + " "));
    const auto type = rest.substr(family_.size() + 1);
    REQUIRE((type == "counter" || type == "gauge" || type == "histogram"));
    REQUIRE(family_.ends_with("_total") == (type == "counter"));
    REQUIRE(types_.emplace(family_, type).second);
  }
  void take_sample(const std::string& line) {
    static const std::regex form(
        R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-z_]+="[^"\\]*"\})? (\+Inf|-?[0-9.]+(?:e[+-][0-9]+)?))re");
    std::smatch parts;
    REQUIRE(std::regex_match(line, parts, form));
    const auto name = parts[1].str();
    REQUIRE(types_.count(family_) == 1);
    const bool is_histogram = types_.at(family_) == "histogram";
    REQUIRE((is_histogram ? name == family_ + "_bucket" || name == family_ + "_sum" ||
                                name == family_ + "_count"
                          : name == family_));
    const double value = std::stod(parts[3]);
    REQUIRE(samples_.emplace(name + parts[2].str(), value).second);
    if (name == family_ + "_bucket") take_bucket(parts[2].str(), value);
  }
  void take_bucket(const std::string& label, double value) {
    REQUIRE(label.starts_with("{le=\""));
    const auto bound = label.substr(5, label.size() - 7);
    buckets_[family_].push_back({bound == "+Inf" ? INFINITY : std::stod(bound), value});
  }
  void check_histograms() const {
    for (const auto& [name, buckets] : buckets_) {
      REQUIRE(std::is_sorted(buckets.begin(), buckets.end(), [](auto& a, auto& b) {
        return a.first < b.first && a.second <= b.second;
      }));
      REQUIRE(std::isinf(buckets.back().first));
      REQUIRE(buckets.back().second == at(name + "_count"));
      at(name + "_sum");
    }
  }

  std::string family_;
  std::map<std::string, std::string> types_;
  std::map<std::string, double> samples_;
  std::map<std::string, std::vector<std::pair<double, double>>> buckets_;
};

access_record ended(reason why, int status) {
  access_record record;
  record.why = why;
  record.status = status;
  record.bytes_received = 10;
  record.bytes_sent = 100;
  return record;
}

}  // namespace

TEST_CASE("render gives a valid exposition of nothing at all", "[metrics]") {
  const exposition all(render({}));
  CHECK(all.at("bulkhead_sessions") == 0);
  CHECK(all.at("bulkhead_request_duration_seconds_count") == 0);
}

TEST_CASE("render has a label for every reason", "[metrics][B151][B155]") {
  reactor_counters one;
  for (std::size_t i = 0; i < reason_count; ++i)
    for (std::size_t n = 0; n <= i; ++n) one.count(ended(static_cast<reason>(i), 0));
  metrics_snapshot sum;
  sum.add(one);
  const exposition all(render(sum));
  for (std::size_t i = 0; i < reason_count; ++i) {
    const auto name = std::string(name_of(static_cast<reason>(i)));
    CHECK(all.at("bulkhead_requests_total{reason=\"" + name + "\"}") == static_cast<double>(i + 1));
  }
}

TEST_CASE("metrics_snapshot sums the reactors", "[metrics]") {
  reactor_counters a;
  reactor_counters b;
  a.accepted.add(3);
  b.accepted.add(4);
  a.count(ended(reason::served, 204));
  b.count(ended(reason::served, 404));
  b.count(ended(reason::peer_left, 0));
  metrics_snapshot sum;
  sum.sessions = 5;
  sum.sessions_max = 10'000;
  sum.handovers = 6;
  sum.log_dropped = 7;
  sum.completion_attempts = 10;
  sum.completion_full = 4;
  sum.completion_deliveries = 5;
  sum.add(a);
  sum.add(b);
  const exposition all(render(sum));
  CHECK(all.at("bulkhead_accepted_total") == 7);
  CHECK(all.at("bulkhead_sessions") == 5);
  CHECK(all.at("bulkhead_sessions_limit") == 10'000);
  CHECK(all.at("bulkhead_handovers_total") == 6);
  CHECK(all.at("bulkhead_log_dropped_total") == 7);
  CHECK(all.at("bulkhead_completions_outstanding") == 1);
  CHECK(all.at("bulkhead_responses_total{class=\"2xx\"}") == 1);
  CHECK(all.at("bulkhead_responses_total{class=\"4xx\"}") == 1);
  CHECK(all.at("bulkhead_responses_total{class=\"5xx\"}") == 0);
  CHECK(all.at("bulkhead_received_bytes_total") == 30);
  CHECK(all.at("bulkhead_sent_bytes_total") == 300);
}

TEST_CASE("duration_histogram counts a time at its bucket's bound and behind it", "[metrics]") {
  duration_histogram times;
  for (std::size_t i = 0; i < duration_bounds_us.size(); ++i) {
    const std::chrono::microseconds bound(duration_bounds_us[i]);
    const auto before = times.in_bucket(i);
    times.observe(bound);
    CHECK(times.in_bucket(i) == before + 1);
    times.observe(bound + 1us);
    CHECK(times.in_bucket(i + 1) == 1);
  }
  times.observe(-1us);
  CHECK(times.in_bucket(0) == 2);
}

TEST_CASE("render gives durations in seconds and buckets that include the smaller ones",
          "[metrics]") {
  reactor_counters one;
  one.handler_durations.observe(60us);
  one.handler_durations.observe(2ms);
  one.handler_durations.observe(30s);
  metrics_snapshot sum;
  sum.add(one);
  const exposition all(render(sum));
  const std::string name = "bulkhead_request_duration_seconds";
  CHECK(all.at(name + "_bucket{le=\"0.0001\"}") == 1);
  CHECK(all.at(name + "_bucket{le=\"0.0025\"}") == 2);
  CHECK(all.at(name + "_bucket{le=\"10\"}") == 2);
  CHECK(all.at(name + "_bucket{le=\"+Inf\"}") == 3);
  CHECK(all.at(name + "_sum") == Approx(30.00206));
}

TEST_CASE("read_process_figures knows this process", "[metrics]") {
  const auto figures = read_process_figures();
  CHECK(figures.resident_bytes > 1'000'000);
  CHECK(figures.descriptors >= 3);
  CHECK(figures.threads >= 1);
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  CHECK(figures.start_seconds < now + 2);
  CHECK(figures.start_seconds > now - 3600);
}

TEST_CASE("metrics_snapshot reads a reactor that goes on counting", "[metrics]") {
  reactor_counters busy;
  std::thread reactor([&] {
    for (int i = 0; i < 20'000; ++i) {
      busy.count(ended(reason::served, 200));
      busy.handler_durations.observe(1ms);
    }
  });
  std::uint64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    metrics_snapshot sum;
    sum.add(busy);
    CHECK(sum.ended_by_reason[0] >= last);
    last = sum.ended_by_reason[0];
    exposition{render(sum)};
  }
  reactor.join();
}
