// The protocol in memory: heads, with each instruction set and beside memchr for line feeds over
// the same bytes, chunked content beside memcpy, and whole exchanges.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/chunked_decoder.hpp"
#include "protocol/limits.hpp"
#include "protocol/prepared_response.hpp"
#include "protocol/request_head.hpp"
#include "protocol/request_parser.hpp"
#include "protocol/response.hpp"
#include "protocol/response_head.hpp"
#include "protocol/response_parser.hpp"
#include "protocol/response_writer.hpp"
#include "protocol/scan/instruction_set.hpp"
#include "protocol/server_connection.hpp"

namespace {

using namespace bulkhead::protocol;

const limits bounds;
constexpr std::size_t content_bytes = 1024 * 1024;
// Half a page: loads that seem to follow stores to the same place in a page would wait for them.
constexpr std::size_t copy_offset = 2048;

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

constexpr std::string_view response_octets =
    "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 30 Nov 2026 15:00:00 GMT\r\n"
    "Content-Type: text/html; charset=utf-8\r\nContent-Length: 13\r\n"
    "Last-Modified: Sun, 29 Nov 2026 11:22:33 GMT\r\nConnection: keep-alive\r\n"
    "ETag: \"674a-1f3c\"\r\nAccept-Ranges: bytes\r\n\r\n";

// What is used when nobody chooses.
instruction_set best() {
  static const auto set = chosen_instruction_set();
  return set;
}

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

// Requests as small as they are for a benchmark of servers, one behind the other.
std::string pipelined(std::size_t requests) {
  std::string all;
  while (requests-- > 0) all += "GET /small HTTP/1.1\r\nHost: a.example\r\n\r\n";
  return all;
}

std::string in_chunks(std::size_t bytes, std::size_t chunk_bytes) {
  random_text random;
  std::string all;
  for (std::size_t left = bytes; left > 0; left -= chunk_bytes) {
    char line[32];
    std::snprintf(line, sizeof(line), "%zx\r\n", chunk_bytes);
    all += line + random.hex(chunk_bytes, chunk_bytes) + "\r\n";
  }
  return all + "0\r\n\r\n";
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

template <class Parser, class Head>
void parse(benchmark::State& state, const heads& all, instruction_set set) {
  choose_instruction_set(set);
  Parser parser;
  Head head(bounds.fields_max);
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

// The same head as it arrives: the time for an octet, or a piece, must not grow with the head.
void parse_pieces(benchmark::State& state, const std::string& input, std::size_t piece_bytes,
                  instruction_set set) {
  choose_instruction_set(set);
  request_parser parser;
  request_head head(bounds.fields_max);
  for (auto _ : state) {
    std::size_t there = 0;
    while (there < input.size()) {
      there = std::min(there + piece_bytes, input.size());
      benchmark::DoNotOptimize(parser.next({input.data(), there}, bounds, head));
    }
    parser.reset();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * input.size()));
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

void decode_chunks(benchmark::State& state, const std::string& input, std::string* copy) {
  for (auto _ : state) {
    chunked_decoder decoder;
    std::string_view left = input;
    std::size_t done = 0;
    for (event found; found.kind != event_kind::end; left.remove_prefix(found.consumed)) {
      found = decoder.next(left, bounds);
      if (found.kind == event_kind::refused) return state.SkipWithError("refused");
      benchmark::DoNotOptimize(found.content.data());
      if (copy && !found.content.empty()) {
        std::memcpy(copy->data() + copy_offset + done, found.content.data(), found.content.size());
        done += found.content.size();
      }
    }
    benchmark::ClobberMemory();
  }
}

void copy_content(benchmark::State& state, const std::string& input, std::string* copy) {
  for (auto _ : state) {
    std::memcpy(copy->data() + copy_offset, input.data(), content_bytes);
    benchmark::ClobberMemory();
  }
}

response sample_answer() {
  auto answer = response::bytes(std::string(1024, 'x'));
  answer.set("Cache-Control", "no-store").set("X-Request-Id", "8f2b1c9d7e6a4f53");
  return answer;
}

constexpr std::string_view date = "Sun, 06 Nov 1994 08:49:37 GMT";

// A request of 12 fields in, a response of 5 fields and 1 KiB out.
template <class Answer>
void exchange(benchmark::State& state, const Answer& answer) {
  choose_instruction_set(best());
  server_connection connection(bounds);
  request_head head(bounds.fields_max);
  std::string output;
  for (auto _ : state) {
    auto input = browser_head;
    while (!input.empty() || !connection.request_done()) {
      const auto found = connection.next(input, head);
      if (found.kind == event_kind::refused) return state.SkipWithError("refused");
      input.remove_prefix(found.consumed);
    }
    output.clear();
    if (connection.respond(head, answer, date, output)) return state.SkipWithError("not answered");
    benchmark::DoNotOptimize(output.data());
  }
}

// Small pipelined requests in reads of 16 KiB, each answered: one iteration is all of them.
template <class Answer>
void serve_pipelined(benchmark::State& state, const std::string& input, const Answer& answer) {
  constexpr std::size_t read_bytes = 16384;
  choose_instruction_set(best());
  request_head head(bounds.fields_max);
  std::string output;
  std::size_t answers = 0;
  for (auto _ : state) {
    server_connection connection(bounds);
    std::size_t begin = 0;
    for (std::size_t there = 0; there < input.size();) {
      there = std::min(there + read_bytes, input.size());
      output.clear();
      for (;;) {
        const auto found = connection.next({input.data() + begin, there - begin}, head);
        begin += found.consumed;
        if (found.kind == event_kind::need_more || found.kind == event_kind::refused) break;
        if (found.kind == event_kind::end && !connection.respond(head, answer, date, output))
          ++answers;
      }
      benchmark::DoNotOptimize(output.data());
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(answers));
}

void write_answer_head(benchmark::State& state) {
  const auto answer = sample_answer();
  std::string output;
  for (auto _ : state) {
    output.clear();
    write_head(answer, {method::get, 1, false, framing::length, date}, output);
    benchmark::DoNotOptimize(output.data());
  }
}

template <class Parser, class Head>
void add(const std::string& name, const heads& all) {
  for (const auto set : instruction_sets) {
    if (!is_available(set)) continue;
    benchmark::RegisterBenchmark((name + '/' + std::string(name_of(set))).c_str(),
                                 parse<Parser, Head>, all, set);
  }
  benchmark::RegisterBenchmark((name + "/memchr").c_str(), find_line_feeds, all);
}

void add_pieces(const std::string& name, const heads& all) {
  for (const std::size_t bytes : {1, 128})
    benchmark::RegisterBenchmark((name + "/pieces of " + std::to_string(bytes)).c_str(),
                                 parse_pieces, all.front(), bytes, best());
}

}  // namespace

int main(int argc, char** argv) {
  const auto browser = heads{std::string(browser_head)};
  const auto large = head_of_60_fields();
  add<request_parser, request_head>("tiny", {"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"});
  add<request_parser, request_head>("browser", browser);
  add<request_parser, request_head>("mixed", mixed_heads());
  add<request_parser, request_head>("60 fields", large);
  add<response_parser, response_head>("response", {std::string(response_octets)});
  add_pieces("browser", browser);
  add_pieces("60 fields", large);

  const auto chunks = in_chunks(content_bytes, 4096);
  std::string copy(copy_offset + content_bytes, ' ');
  benchmark::RegisterBenchmark("chunked/in place", decode_chunks, chunks, nullptr);
  benchmark::RegisterBenchmark("chunked/copied", decode_chunks, chunks, &copy);
  benchmark::RegisterBenchmark("chunked/memcpy", copy_content, chunks, &copy);

  const auto answer = sample_answer();
  const prepared_response prepared(answer);
  benchmark::RegisterBenchmark("exchange", exchange<response>, answer);
  benchmark::RegisterBenchmark("exchange/prepared", exchange<prepared_response>, prepared);
  benchmark::RegisterBenchmark("write_head", write_answer_head);

  const auto requests = pipelined(100000);
  const auto hello = response::text("Hello, world!");
  const prepared_response prepared_hello(hello);
  benchmark::RegisterBenchmark("pipelined", serve_pipelined<response>, requests, hello);
  benchmark::RegisterBenchmark("pipelined/prepared", serve_pipelined<prepared_response>, requests,
                               prepared_hello);

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
