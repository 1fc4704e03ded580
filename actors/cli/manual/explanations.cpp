#include "actors/cli/manual/explanations.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace bulkhead::cli {
namespace {

struct named_explanation {
  std::string_view name;
  explanation words;
};

constexpr std::string_view path_unit = "path";
constexpr std::string_view ms = "ms";
constexpr std::string_view octets = "bytes";

constexpr named_explanation of_settings[]{
    {"listen", {"addresses", "reachable from this machine only"}},
    {"tls_listen", {"addresses", "HTTPS needs a certificate, so it is asked for"}},
    {"threads", {"threads", "a reactor for each CPU that the process may use"}},
    {"spare_threads_max", {"threads", "each stuck handler keeps one; 64 stacks are cheap"}},
    {"sessions_max", {"connections", "some 20 MiB while they are idle, 240 MiB with TLS"}},
    {"memory_bytes_max", {octets, "a quarter of a small machine; no session starves others"}},
    {"discarded_content_bytes_max", {octets, "reading so much is cheaper than another connection"}},
    {"content_rate_min", {"bytes/s", "slower than any modem; a dripping client ends"}},
    {"access_log", {path_unit, "a disk is not filled unasked"}},
    {"access_log_format", {"json or text", "machines read most logs"}},
    {"admin_listen", {"address", "whoever reaches it may read it"}},
    {"root", {path_unit, "nothing is served that was not named"}},
    {"tls.cert", {"paths", "there is no certificate to assume"}},
    {"tls.key", {"paths", "in the order of `tls.cert`"}},
    {"tls.password", {"paths", "keys are mostly protected by their file's mode"}},
    {"tls.client_ca", {"paths", "nobody is trusted to name clients unless set"}},
    {"tls.client_certificates", {"off, optional or required", "`off`: most clients have none"}},
    {"tls.self_signed", {path_unit, "for trying things out only"}},
    {"tls.unknown_names", {"default or refuse", "clients without SNI, and by address, work"}},
    {"sandbox.require", {"layers", "it says at the start what is missing, and goes on"}},
    {"sandbox.wasm_cache", {path_unit, "beside where it is started; a service names its own"}},
    {"handler.path", {"pattern", "nothing is served that was not named"}},
    {"handler.methods", {"methods", "reading does no harm"}},
    {"handler.run", {"process, wasm or inline", "holds the most"}},
    {"handler.file", {path_unit, "there is none to assume"}},
    {"handler.concurrency", {"requests", "a handler can't take every CPU of a small machine"}},
    {"handler.spares", {"processes", "who comes after a crash does not wait for a process"}},
    {"handler.queue", {"requests", "a burst waits instead of failing"}},
    {"handler.queue_wait_ms", {ms, "longer waits mean that it is overloaded"}},
    {"handler.wall_ms", {ms, "below `deadlines.handler_ms`"}},
    {"handler.cpu_ms", {ms, "a loop ends before people give up"}},
    {"handler.memory_bytes", {octets, "most handlers need a tenth of it"}},
    {"handler.request_bytes", {octets, "shared memory of each process, used once touched"}},
    {"handler.response_bytes", {octets, "the same"}},
    {"handler.recycle_requests", {"requests", "what leaks slowly never gets far"}},
    {"handler.breaker_faults", {"faults", "a single one is no pattern"}},
    {"handler.breaker_window_ms", {ms, "as long as operators look at"}},
    {"handler.breaker_open_ms", {ms, "short enough to be back soon"}},
    {"limits.request_line_bytes_max", {octets, "RFC 9112 section 3 asks for 8000 at least"}},
    {"limits.head_bytes_max", {octets, "holds the largest cookies in use"}},
    {"limits.fields_max", {"field lines", "browsers send about 20, proxies add a few"}},
    {"limits.field_name_bytes_max", {octets, "the longest registered name has 38"}},
    {"limits.chunk_extension_bytes_max",
     {octets, "tiny chunks can't carry kilobytes of nothing each"}},
    {"limits.trailer_bytes_max", {octets, "trailers hold a digest or a signature"}},
    {"limits.trailer_fields_max", {"field lines", "as many as in a head"}},
    {"limits.content_bytes_max", {octets, "content is held in memory until its handler has it"}},
    {"limits.leading_empty_lines_max", {"lines", "RFC 9112 section 2.2 asks to ignore one"}},
    {"deadlines.handshake_ms", {ms, "two round trips of the slowest network"}},
    {"deadlines.first_byte_ms", {ms, "who connects has something to say"}},
    {"deadlines.head_ms", {ms, "bytes do not move it: a dripped head ends"}},
    {"deadlines.content_ms", {ms, "16 MiB over a slow line; `content_rate_min` ends drips"}},
    {"deadlines.handler_ms", {ms, "longer than people wait"}},
    {"deadlines.write_stall_ms", {ms, "a network may be away for as long"}},
    {"deadlines.idle_ms", {ms, "browsers keep connections for about as long"}},
    {"deadlines.linger_ms", {ms, "the last answer reaches who still sends (RFC 9112 section 9.6)"}},
    {"deadlines.drain_grace_ms", {ms, "a request may be on its way"}},
    {"deadlines.drain_ms", {ms, "below what service managers wait (90 s)"}},
};

struct named_words {
  std::string_view name;
  std::string_view words;
};

constexpr named_words of_log_fields[]{
    {"time", "when the request ended; RFC 3339, UTC, to the millisecond"},
    {"level", "follows from the reason, see above"},
    {"id",
     "of the request, 16 hexadecimal digits, as handlers and crash reports name it; zeros: no "
     "head was read"},
    {"peer", "address and port of the client; `unix` for a unix socket"},
    {"method", "as sent; empty when no head was read"},
    {"target", "as sent, up to 2048 bytes, then `...`"},
    {"status", "of the answer; 499: the peer left before it; null: no answer was sent"},
    {"reason", "why it ended, see above"},
    {"detail", "which rule was broken, or what was thrown; up to 512 bytes"},
    {"received_bytes", "content of the request"},
    {"sent_bytes", "head and content of the answer, as handed to the system"},
    {"duration_us", "microseconds from the head's first byte to the answer's last"},
};

}  // namespace

explanation explain(const setting& one) {
  const auto name = full_name(one);
  const auto found = std::find_if(std::begin(of_settings), std::end(of_settings),
                                  [&](const auto& each) { return each.name == name; });
  if (found == std::end(of_settings))
    throw std::logic_error("explanations.cpp has none of the setting " + name);
  return found->words;
}

std::string_view explain_log_field(std::string_view name) {
  const auto found = std::find_if(std::begin(of_log_fields), std::end(of_log_fields),
                                  [&](const auto& each) { return each.name == name; });
  if (found == std::end(of_log_fields))
    throw std::logic_error("explanations.cpp has none of the log's field " + std::string(name));
  return found->words;
}

// No default: the compiler names the one that is missing.
std::string_view explain(reason why) {
  switch (why) {
    case reason::served:
      return "the handler's response, or the router's 404, 405 and the like";
    case reason::closed:
      return "an orderly end: the client's wish, or the last answer said so";
    case reason::peer_left:
      return "the client ended the connection in the middle of something";
    case reason::peer_reset:
      return "the client reset the connection";
    case reason::bad_head:
      return "request line or fields break a rule, which `detail` names: 400, 417, 501, 505";
    case reason::bad_framing:
      return "lengths, codings or chunks break a rule: 400, 501";
    case reason::too_large:
      return "a limit was exceeded: 413, 414, 431; raise it in `[limits]` for honest clients";
    case reason::incomplete:
      return "the stream ended inside a request: 400";
    case reason::plain_http:
      return "HTTP without TLS on a port for TLS: 400";
    case reason::handshake_failed:
      return "no TLS came about; `detail` says why";
    case reason::tls_error:
      return "what came after the handshake does not decrypt, or floods";
    case reason::handshake_timeout:
      return "`deadlines.handshake_ms` passed: closed";
    case reason::first_byte_timeout:
      return "`deadlines.first_byte_ms` passed: closed";
    case reason::head_timeout:
      return "`deadlines.head_ms` passed: 408";
    case reason::content_timeout:
      return "`deadlines.content_ms` passed: 408";
    case reason::content_too_slow:
      return "slower than `content_rate_min`: 408";
    case reason::handler_timeout:
      return "`deadlines.handler_ms` passed: 503; look at the handler of that target";
    case reason::write_stall:
      return "the client took nothing for `deadlines.write_stall_ms`: reset";
    case reason::idle_timeout:
      return "no further request within `deadlines.idle_ms`: closed";
    case reason::exception:
      return "the handler threw: 500; `detail` says what";
    case reason::bad_response:
      return "the handler's response broke a rule: 500, or 502 from a sandbox; `detail` says which";
    case reason::source_failed:
      return "the handler's streamed content threw: reset, so that the client notices";
    case reason::file_failed:
      return "a file became shorter while it was sent, or could not be read: reset";
    case reason::trap:
      return "the sandboxed handler's WebAssembly trapped: 500";
    case reason::crashed:
      return "the sandboxed handler's process died: 502";
    case reason::budget_exceeded:
      return "the sandboxed handler used up its time, wall clock or CPU: 504";
    case reason::out_of_memory:
      return "the sandboxed handler used up its memory, not the server's: 503";
    case reason::handler_overloaded:
      return "no place in the sandboxed handler's queue, or its circuit is open: 503";
    case reason::handler_unavailable:
      return "the sandboxed handler can't be loaded, or was removed: 503";
    case reason::overloaded:
      return "`sessions_max` was reached: 503";
    case reason::shed:
      return "`memory_bytes_max` was reached, and this session held most";
    case reason::out_of_descriptors:
      return "the process may not open more descriptors; raise its limit (LimitNOFILE)";
    case reason::drain:
      return "the server shuts down and could not wait any longer";
    case reason::internal:
      return "a fault of the server's own: please report it";
  }
  return {};
}

}  // namespace bulkhead::cli
