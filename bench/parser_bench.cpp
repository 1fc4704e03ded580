// The protocol in memory: request heads, each beside memchr for line feeds over the same bytes, and
// one whole exchange.
#include <benchmark/benchmark.h>

#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/limits.hpp"
#include "protocol/request_head.hpp"
#include "protocol/request_parser.hpp"
#include "protocol/response.hpp"
#include "protocol/server_connection.hpp"

namespace {

using namespace bulkhead::protocol;

const limits bounds;

constexpr std::string_view browser_head =
    "GET /media/catalog/blue-running-shoes-side-view.jpg?width=640&quality=80 HTTP/1.1\r\n"
    "Host: images.shop.example\r\n"
    "Connection: keep-alive\r\n"
    "sec-ch-ua: \"Chromium\";v=\"126\", \"Not:A-Brand\";v=\"8\"\r\n"
    "sec-ch-ua-mobile: ?0\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/126.0.0.0 Safari/537.36\r\n"
    "Accept: image/avif,image/webp,image/apng,image/*,*/*;q=0.8\r\n"
    "Sec-Fetch-Site: same-site\r\n"
    "Sec-Fetch-Mode: no-cors\r\n"
    "Referer: https://www.shop.example/\r\n"
    "Accept-Encoding: gzip, deflate, br\r\n"
    "Accept-Language: en-US,en;q=0.9\r\n"
    "Cookie: sid=8f2b1c9d7e6a4f53; cart=3f9a; _ga=GA1.2.1234567890.1700000000; theme=dark\r\n"
    "\r\n";

using heads = std::vector<std::string>;

class random_text {
 public:
  std::size_t between(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution(low, high)(engine_);
  }
  std::string hex(std::size_t size_min, std::size_t size_max) {
    std::string text(between(size_min, size_max), ' ');
    for (auto& c : text) c = "0123456789abcdef"[between(0, 15)];
    return text;
  }

 private:
  std::mt19937 engine_{7};
};

// Different heads in turn: a branch predictor learns a single one by heart.
heads mixed_heads() {
  constexpr std::string_view names[] = {
      "Accept",        "Accept-Encoding", "Accept-Language",  "Referer", "Sec-Fetch-Site",
      "Cache-Control", "If-None-Match",   "X-Requested-With", "Cookie",  "sec-ch-ua-platform"};
  random_text random;
  heads all(256);
  for (auto& head : all) {
    head = "GET /" + random.hex(4, 60) + " HTTP/1.1\r\nHost: " + random.hex(6, 20) + ".example\r\n";
    head += "User-Agent: Mozilla/5.0 (X11; Linux x86_64) " + random.hex(40, 90) + "\r\n";
    for (auto left = random.between(5, 10); left > 0; --left) {
      head += names[random.between(0, std::size(names) - 1)];
      head += ": " + random.hex(1, random.between(0, 3) == 0 ? 120 : 40) + "\r\n";
    }
    head += "\r\n";
  }
  return all;
}

heads head_of_60_fields() {
  random_text random;
  std::string head = "GET /api/v2/orders HTTP/1.1\r\nHost: api.example\r\n";
  for (int i = 1; i < 60; ++i)
    head += "X-Trace-Field-" + std::to_string(i) + ": " + random.hex(12, 60) + "\r\n";
  return {head + "\r\n"};
}

// The next of them, round and round.
class carousel {
 public:
  explicit carousel(const heads& all) : all_(all) {}
  std::string_view next() {
    const auto& head = all_[at_];
    at_ = at_ + 1 == all_.size() ? 0 : at_ + 1;
    return head;
  }

 private:
  const heads& all_;
  std::size_t at_ = 0;
};

void parse(benchmark::State& state, const heads& all) {
  request_parser parser;
  request_head head(bounds.fields_max);
  carousel turn(all);
  for (auto _ : state) {
    const auto input = turn.next();
    const auto found = parser.next(input, bounds, head);
    if (found.kind != event_kind::head || found.consumed != input.size())
      return state.SkipWithError("not parsed");
    benchmark::DoNotOptimize(head);
    parser.reset();
  }
}

void find_line_feeds(benchmark::State& state, const heads& all) {
  carousel turn(all);
  for (auto _ : state) {
    const auto input = turn.next();
    const char* at = input.data();
    const char* const end = at + input.size();
    while (at != end) {
      at = static_cast<const char*>(std::memchr(at, '\n', end - at)) + 1;
      benchmark::DoNotOptimize(at);  // else the compiler sees that nobody wants to know
    }
  }
}

// A request of 12 fields in, a response of 5 fields and 1 KiB out.
void exchange(benchmark::State& state) {
  server_connection connection(bounds);
  request_head head(bounds.fields_max);
  auto answer = response::bytes(std::string(1024, 'x'));
  answer.set("Cache-Control", "no-store").set("X-Request-Id", "8f2b1c9d7e6a4f53");
  std::string output;
  for (auto _ : state) {
    auto input = browser_head;
    while (!input.empty() || !connection.request_done()) {
      const auto found = connection.next(input, head);
      if (found.kind == event_kind::refused) return state.SkipWithError("refused");
      input.remove_prefix(found.consumed);
    }
    output.clear();
    if (connection.respond(head, answer, "Sun, 06 Nov 1994 08:49:37 GMT", output))
      return state.SkipWithError("not answered");
    benchmark::DoNotOptimize(output.data());
  }
}

void add(const std::string& name, const heads& all) {
  benchmark::RegisterBenchmark(("parse/" + name).c_str(), parse, all);
  benchmark::RegisterBenchmark(("memchr/" + name).c_str(), find_line_feeds, all);
}

}  // namespace

int main(int argc, char** argv) {
  add("tiny", {"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"});
  add("browser", {std::string(browser_head)});
  add("mixed", mixed_heads());
  add("60 fields", head_of_60_fields());
  benchmark::RegisterBenchmark("exchange", exchange);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
