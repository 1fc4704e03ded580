#include "faults/kinds.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "faults/builtin.hpp"

namespace bulkhead::faults {
namespace {

using namespace std::chrono_literals;

constexpr auto held = 60s;  // longer than a server should wait
constexpr auto answered_within = 10s;

std::string target_of(const fault& what, std::string_view otherwise) {
  return what.target.empty() ? std::string(otherwise) : what.target;
}

std::string head(const aim& at, std::string_view method, std::string_view target,
                 std::string_view fields = {}) {
  std::string text;
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
  return text.append(at.authority).append("\r\n").append(fields).append("\r\n");
}
std::string get(const aim& at, std::string_view target) {
  return head(at, "GET", target, "Connection: close\r\n");
}
std::string unfinished(std::string head, std::size_t left_out = 2) {
  head.resize(head.size() - left_out);
  return head;
}
std::string post(const aim& at, const fault& what, std::size_t bytes) {
  return head(at, "POST", target_of(what, "/echo"),
              "Content-Length: " + std::to_string(bytes) + "\r\n");
}

step send(std::string bytes) {
  return {act::send, std::move(bytes)};
}
step read_end(std::chrono::milliseconds most = answered_within) {
  return {act::read, {}, most};
}
script of(std::vector<step> steps, std::vector<int> expect = {},
          std::chrono::milliseconds limit = held) {
  return {.steps = std::move(steps), .limit = limit, .expect = std::move(expect)};
}
script encrypted(std::vector<step> steps, std::chrono::milliseconds limit = held) {
  auto made = of(std::move(steps), {}, limit);
  made.tls = true;
  return made;
}

// --- handlers

script a_request(random_source&, const fault& what, const aim& at) {
  std::string fields = "Connection: close\r\n";
  if (what.method != "GET" && what.method != "HEAD") fields += "Content-Length: 0\r\n";
  return of({send(head(at, what.method, what.target, fields)), read_end(held)});
}

// --- slow ones

script stalled_head(random_source& random, const fault& what, const aim& at) {
  const auto whole = get(at, target_of(what, "/"));
  const auto bytes = static_cast<std::size_t>(random.between(1, whole.size() - 1));
  return of({send(whole.substr(0, bytes)), {act::pause, {}, held}}, {0, 408, 503});
}

script dripped_head(random_source& random, const fault& what, const aim& at) {
  const auto pause = std::chrono::milliseconds(random.between(20, 500));
  auto text = head(at, "GET", target_of(what, "/"), std::string(200, 'a') + ": b\r\n");
  return of({{act::drip, std::move(text), pause, 1}, read_end()}, {0, 200, 404, 408, 503});
}

script dripped_body(random_source& random, const fault& what, const aim& at) {
  const auto pause = std::chrono::milliseconds(random.between(20, 500));
  return of({send(post(at, what, 1000)), {act::drip, std::string(1000, 'b'), pause, 1}, read_end()},
            {0, 200, 404, 405, 408, 503});
}

script never_reads(random_source&, const fault& what, const aim& at) {
  return of({send(get(at, target_of(what, "/big?n=8000000"))), {act::pause, {}, held}});
}

script slow_reader(random_source&, const fault& what, const aim& at) {
  return of({send(get(at, target_of(what, "/big?n=1000000"))), {act::read_slowly, {}, 100ms, 102}});
}

// --- cuts

script reset_at_accept(random_source&, const fault&, const aim&) {
  return of({{act::reset}});
}
script reset_in_head(random_source& random, const fault& what, const aim& at) {
  const auto whole = get(at, target_of(what, "/"));
  const auto bytes = static_cast<std::size_t>(random.between(1, whole.size() - 1));
  return of({send(whole.substr(0, bytes)), {act::reset}});
}
script reset_in_body(random_source& random, const fault& what, const aim& at) {
  const auto bytes = static_cast<std::size_t>(random.below(99'999));
  return of({send(post(at, what, 100'000) + std::string(bytes, 'b')), {act::reset}});
}
script reset_in_handler(random_source& random, const fault& what, const aim& at) {
  const auto pause = std::chrono::milliseconds(random.below(100));
  return of(
      {send(get(at, target_of(what, "/sleep?ms=100"))), {act::pause, {}, pause}, {act::reset}});
}
script reset_in_response(random_source& random, const fault& what, const aim& at) {
  const auto bytes = static_cast<std::size_t>(random.between(1, 100'000));
  return of({send(get(at, target_of(what, "/big?n=4000000"))),
             {act::read, {}, answered_within, bytes},
             {act::reset}});
}
script half_close(random_source& random, const fault& what, const aim& at) {
  const auto whole = get(at, target_of(what, "/"));
  const auto bytes = static_cast<std::size_t>(random.between(1, whole.size()));
  return of({send(whole.substr(0, bytes)), {act::half_close}, read_end()},
            {0, 200, 301, 302, 304, 400, 404, 408, 503});
}
script connect_and_leave(random_source& random, const fault& what, const aim& at) {
  std::vector<step> steps;
  if (random.below(2) == 0) steps.push_back(send(get(at, target_of(what, "/"))));
  if (random.below(2) == 0) steps.push_back({act::reset});
  return of(std::move(steps));
}

// --- nonsense and too much

script garbage(random_source& random, const fault&, const aim&) {
  std::string bytes(random.between(1, 4000), '\0');
  for (auto& each : bytes) each = static_cast<char>(random.below(256));
  return of({send(bytes + "\r\n\r\n"), {act::half_close}, read_end()},
            {0, 400, 408, 414, 431, 501, 505, 503});
}

script long_line(random_source&, const fault&, const aim& at) {
  return of({send(head(at, "GET", "/" + std::string(100'000, 'a'))), read_end()},
            {0, 400, 414, 431, 503});
}
script large_field(random_source&, const fault& what, const aim& at) {
  return of(
      {send(head(at, "GET", target_of(what, "/"), "A: " + std::string(200'000, 'a') + "\r\n")),
       read_end()},
      {0, 400, 431, 494, 503});
}
script many_fields(random_source&, const fault& what, const aim& at) {
  std::string fields;
  for (int i = 0; i < 20'000; ++i) fields += "A" + std::to_string(i) + ": b\r\n";
  return of({send(head(at, "GET", target_of(what, "/"), fields)), read_end()},
            {0, 400, 431, 494, 503});
}

std::string chunked(const aim& at, const fault& what) {
  return head(at, "POST", target_of(what, "/echo"), "Transfer-Encoding: chunked\r\n");
}
script large_chunk(random_source& random, const fault& what, const aim& at) {
  static constexpr std::array<std::string_view, 3> sizes{
      "ffffffffffffffff\r\n", "10000000000000000\r\n", "7fffffffffff\r\n"};
  const auto size = sizes.at(random.below(sizes.size()));
  auto made = of({send(chunked(at, what).append(size) + std::string(1000, 'c')), read_end()},
                 {0, 400, 404, 405, 413, 503});
  made.refusal_is_last = true;
  return made;
}
script large_extension(random_source&, const fault& what, const aim& at) {
  return of({send(chunked(at, what) + "1;a=" + std::string(200'000, 'e') + "\r\nx\r\n0\r\n\r\n"),
             read_end(2s)},
            {0, 200, 400, 404, 405, 413, 431, 503});
}
script large_trailer(random_source&, const fault& what, const aim& at) {
  return of(
      {send(chunked(at, what) + "1\r\nx\r\n0\r\nA: " + std::string(200'000, 't') + "\r\n\r\n"),
       read_end(2s)},
      {0, 200, 400, 404, 405, 413, 431, 503});
}

script pipelined_flood(random_source&, const fault& what, const aim& at) {
  const auto one = head(at, "GET", target_of(what, "/"));
  std::string all;
  for (int i = 0; i < 2000; ++i) all += one;
  return of({send(std::move(all)), {act::pause, {}, 500ms}, {act::reset}});
}

// --- smuggling

struct smuggling_case {
  std::string bytes;
  std::vector<int> expect;
};

std::vector<smuggling_case> read_cases() {
  std::vector<smuggling_case> all;
  auto left = builtin_smuggling();
  while (!left.empty()) {
    const auto end = std::min(left.find('\n'), left.size() - 1);
    const auto line = nlohmann::json::parse(left.substr(0, end + 1));
    all.push_back({line.at("bytes"), line.at("expect")});
    left.remove_prefix(end + 1);
  }
  return all;
}

script smuggling(random_source& random, const fault&, const aim&) {
  static const auto cases = read_cases();
  const auto& one = cases[random.below(cases.size())];
  auto expect = one.expect;
  expect.insert(expect.end(), {0, 503});
  auto made = of({send(one.bytes), read_end(2s)}, std::move(expect));
  made.refusal_is_last = true;
  return made;
}

// --- TLS

script tls_silent(random_source&, const fault&, const aim&) {
  return encrypted({{act::pause, {}, held}});
}
script tls_dripped_hello(random_source& random, const fault&, const aim& at) {
  const auto pause = std::chrono::milliseconds(random.between(20, 200));
  return encrypted({{act::drip, at.hello, pause, 1}, read_end()});
}
script tls_handshake_storm(random_source& random, const fault&, const aim& at) {
  const auto bytes = static_cast<std::size_t>(random.between(0, 1000));
  return encrypted({send(at.hello), {act::read, {}, answered_within, bytes}, {act::reset}});
}
script tls_cut_record(random_source& random, const fault& what, const aim& at) {
  std::vector<step> steps{{act::handshake},
                          {act::send_cut, get(at, target_of(what, "/"))},
                          {act::pause, {}, std::chrono::milliseconds(random.below(100))}};
  if (random.below(2) == 0) steps.push_back({act::reset});
  return encrypted(std::move(steps));
}
script tls_no_close_notify(random_source&, const fault& what, const aim& at) {
  return encrypted({{act::handshake},
                    send(head(at, "GET", target_of(what, "/"))),
                    {act::read, {}, answered_within, 20}});
}
script tls_stalled_head(random_source&, const fault& what, const aim& at) {
  return encrypted(
      {{act::handshake}, send(unfinished(get(at, target_of(what, "/")))), {act::pause, {}, held}});
}
script tls_never_reads(random_source&, const fault& what, const aim& at) {
  return encrypted(
      {{act::handshake}, send(get(at, target_of(what, "/big?n=8000000"))), {act::pause, {}, held}});
}
script tls_plain_http(random_source&, const fault&, const aim& at) {
  return encrypted({send(get(at, "/")), read_end()});
}
script tls_garbage(random_source& random, const fault&, const aim& at) {
  auto bytes = at.hello;
  for (std::uint64_t i = random.between(1, 8); i > 0; --i)
    bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
  return encrypted({send(std::move(bytes)), {act::half_close}, read_end()});
}

constexpr std::array all_kinds{
    fault_kind{"request", "a handler that fails: target, method and expect say which and how",
               a_request},
    fault_kind{"stalled-head", "a part of a head, and then nothing", stalled_head},
    fault_kind{"dripped-head", "a head, one byte at a time", dripped_head},
    fault_kind{"dripped-body", "content, one byte at a time", dripped_body},
    fault_kind{"never-reads", "asks for much and reads none of it", never_reads},
    fault_kind{"slow-reader", "asks for much and reads 1 KB a second", slow_reader},
    fault_kind{"reset-at-accept", "connects and resets", reset_at_accept},
    fault_kind{"reset-in-head", "resets in the middle of a head", reset_in_head},
    fault_kind{"reset-in-body", "resets in the middle of content", reset_in_body},
    fault_kind{"reset-in-handler", "resets while the handler runs", reset_in_handler},
    fault_kind{"reset-in-response", "resets in the middle of the answer", reset_in_response},
    fault_kind{"half-close", "ends its sending side anywhere in a request", half_close},
    fault_kind{"connect-and-leave", "connects, perhaps asks, and is gone", connect_and_leave},
    fault_kind{"garbage", "random bytes", garbage},
    fault_kind{"long-line", "a request line of 100 KB", long_line},
    fault_kind{"large-field", "a field of 200 KB", large_field},
    fault_kind{"many-fields", "20,000 fields", many_fields},
    fault_kind{"large-chunk", "a chunk of up to 2^64 bytes", large_chunk},
    fault_kind{"large-extension", "a chunk extension of 200 KB", large_extension},
    fault_kind{"large-trailer", "a trailer field of 200 KB", large_trailer},
    fault_kind{"pipelined-flood", "2,000 requests at once, no answer read", pipelined_flood},
    fault_kind{"smuggling", "a request that could be framed in two ways", smuggling},
    fault_kind{"tls-silent", "connects for TLS and says nothing", tls_silent, true},
    fault_kind{"tls-dripped-hello", "a ClientHello, one byte at a time", tls_dripped_hello, true},
    fault_kind{"tls-handshake-storm", "a ClientHello, and gone in the server's answer",
               tls_handshake_storm, true},
    fault_kind{"tls-cut-record", "half a record behind the handshake", tls_cut_record, true},
    fault_kind{"tls-no-close-notify", "asks, reads, and closes without close_notify",
               tls_no_close_notify, true},
    fault_kind{"tls-stalled-head", "a handshake, a part of a head, and then nothing",
               tls_stalled_head, true},
    fault_kind{"tls-never-reads", "a handshake, asks for much and reads none of it",
               tls_never_reads, true},
    fault_kind{"tls-plain-http", "plain HTTP to the port for HTTPS", tls_plain_http, true},
    fault_kind{"tls-garbage", "a ClientHello with wrong bytes", tls_garbage, true},
};

}  // namespace

std::span<const fault_kind> fault_kinds() {
  return all_kinds;
}

const fault_kind* find_kind(std::string_view name) {
  const auto* found = std::ranges::find(all_kinds, name, &fault_kind::name);
  return found == all_kinds.end() ? nullptr : found;
}

script write_script(const fault& what, random_source& random, const aim& at) {
  auto made = find_kind(what.kind)->write(random, what, at);
  if (!what.expect.empty()) made.expect = what.expect;
  return made;
}

}  // namespace bulkhead::faults
