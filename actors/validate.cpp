#include "actors/validate.hpp"

#include <sys/resource.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "actors/guest_settings.hpp"
#include "actors/router.hpp"
#include "sandbox/layers.hpp"
#include "sandbox/process/object.hpp"

namespace bulkhead::actors {

namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

void require_deadline(std::chrono::milliseconds value, const std::string& name) {
  using namespace std::chrono_literals;
  require(value >= 1ms && value <= 24h, name + " must lie between 1 ms and 24 h");
}

void require_layer(const std::string& name) {
  sandbox::layer one;
  require(sandbox::parse(name, one), "sandbox_require: there is no layer '" + name + "'");
}

void require_handler(const guest_handler& h) {
  const auto need = [&](bool holds, const char* what) {
    require(holds, "handler '" + h.path + "': " + what);
  };
  using namespace std::chrono_literals;
  constexpr std::size_t gib = std::size_t{1} << 30;
  const auto is_time = [](std::chrono::milliseconds t) { return t >= 1ms && t <= 24h; };
  need(!h.path.empty() && h.path.front() == '/', "its path must begin with '/'");
  need(!h.methods.empty(), "it needs a method");
  need(h.run == "process" || h.run == "wasm" || h.run == "inline",
       "run must be process, wasm or inline");
  need(!h.file.empty(), "it needs a file");
  need(h.concurrency >= 1 && h.concurrency <= 256, "concurrency must lie between 1 and 256");
  need(h.spares <= 256, "spares must be at most 256");
  need(h.queue <= 100'000, "queue must be at most 100000");
  need(h.queue_wait >= 0ms && h.queue_wait <= 24h, "queue_wait must be at most 24 h");
  need(is_time(h.wall), "wall must lie between 1 ms and 24 h");
  need(is_time(h.cpu), "cpu must lie between 1 ms and 24 h");
  need(h.memory_bytes >= 1 << 20, "memory_bytes must be at least 1 MiB");
  need(h.request_bytes >= 1024 && h.request_bytes <= gib,
       "request_bytes must lie between 1 KiB and 1 GiB");
  need(h.response_bytes >= 1024 && h.response_bytes <= gib,
       "response_bytes must lie between 1 KiB and 1 GiB");
  need(is_time(h.breaker_window), "breaker_window must lie between 1 ms and 24 h");
  need(is_time(h.breaker_open), "breaker_open must lie between 1 ms and 24 h");
}

// Else requests for them could hold the reactors' own threads, and nobody else is served.
void require_threads(const config& settings) {
  std::uint64_t most = 0;
  for (const auto& each : settings.handlers)
    if (each.run != "process") most += each.concurrency;
  require(most <= settings.spare_threads_max,
          "the handlers outside of processes may keep " + std::to_string(most) +
              " threads, their concurrency, but spare_threads_max is " +
              std::to_string(settings.spare_threads_max));
}

// What the table of handlers would refuse.
void require_routes(const std::vector<guest_handler>& handlers) {
  router all;
  const route_target any{[](const request&) { return response(); }, {}};
  for (const auto& each : handlers)
    all.add(std::vector<std::string_view>(each.methods.begin(), each.methods.end()), each.path,
            any);
}

}  // namespace

std::string sandbox_layers() {
  std::string names;
  for (unsigned i = 0; i < sandbox::layers_count; ++i)
    names.append(names.empty() ? "'" : ", '")
        .append(to_string(static_cast<sandbox::layer>(i)))
        .append("'");
  return names;
}

void require_guest_files(const config& settings) {
  for (const auto& each : settings.handlers) {
    if (each.run != "process") continue;
    const auto code = sandbox::object::load(each.file);
    require(code.error.empty(), "handler '" + each.path + "': " + code.error);
  }
}

void require_descriptors(const config& settings, unsigned reactors) {
  // A worker's pidfd and doorbell; while it starts, its memory.
  constexpr std::uint64_t of_worker = 3;
  // Listeners, logs, the reactors' own, and some to accept connections with.
  const std::uint64_t others = 32 + 16 * std::uint64_t{reactors};
  std::uint64_t workers = 0;
  for (const auto& each : settings.handlers) {
    if (each.run != "process") continue;
    const auto share = settings_for(each, reactors);
    workers += std::uint64_t{reactors} * (share.workers + share.spares);
  }
  rlimit most{};
  ::getrlimit(RLIMIT_NOFILE, &most);
  require(workers == 0 || workers * of_worker + others <= most.rlim_cur,
          "the handlers' " + std::to_string(workers) + " processes need " +
              std::to_string(workers * of_worker) + " descriptors and all else " +
              std::to_string(others) + ", this process may have " + std::to_string(most.rlim_cur) +
              ": lower concurrency or spares, or raise the limit (ulimit -n, LimitNOFILE)");
}

void validate(const config& settings) {
  require(!settings.listen.empty() || !settings.tls_listen.empty(),
          "listen or tls_listen must name an address");
  require(settings.tls_listen.empty() || !settings.tls_hosts.empty() ||
              !settings.tls_self_signed.empty(),
          "tls_listen needs a certificate and a key");
  require(settings.tls_unknown_names == "default" || settings.tls_unknown_names == "refuse",
          "tls_unknown_names must be default or refuse");
  for (const auto& host : settings.tls_hosts) {
    const auto& rule = host.client_certificates;
    require(!host.certificate_file.empty() && !host.key_file.empty(),
            "each host of TLS needs a certificate and a key");
    require(rule == "off" || rule == "optional" || rule == "required",
            "client_certificates must be off, optional or required");
    require((rule == "off") == host.client_ca_file.empty(),
            "client certificates need who may sign them, and only they do");
  }
  require(settings.threads <= 256, "threads must lie between 1 and 256, or be 0 for one a CPU");
  require(settings.spare_threads_max <= 1024, "spare_threads_max must be at most 1024");
  require(settings.sessions_max >= 1, "sessions_max must be at least 1");
  require(settings.memory_bytes_max >= (std::size_t{1} << 20),
          "memory_bytes_max must be at least 1 MiB");
  require(settings.access_log_format == "json" || settings.access_log_format == "text",
          "access_log_format must be json or text");
  if (const auto* wrong = protocol::check(settings.limits)) throw std::invalid_argument(wrong);
  const auto& d = settings.deadlines;
  require_deadline(d.handshake, "deadlines.handshake");
  require_deadline(d.first_byte, "deadlines.first_byte");
  require_deadline(d.head, "deadlines.head");
  require_deadline(d.content, "deadlines.content");
  require_deadline(d.handler, "deadlines.handler");
  require_deadline(d.write_stall, "deadlines.write_stall");
  require_deadline(d.idle, "deadlines.idle");
  require_deadline(d.linger, "deadlines.linger");
  require_deadline(d.drain_grace, "deadlines.drain_grace");
  require_deadline(d.drain, "deadlines.drain");
  for (const auto& name : settings.sandbox_require) require_layer(name);
  for (const auto& each : settings.handlers) require_handler(each);
  require_routes(settings.handlers);
  require_threads(settings);
}

}  // namespace bulkhead::actors
