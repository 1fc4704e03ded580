#include "actors/validate.hpp"

#include <stdexcept>
#include <string>

namespace bulkhead::actors {

namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument(what);
}

void require_deadline(std::chrono::milliseconds value, const std::string& name) {
  using namespace std::chrono_literals;
  require(value >= 1ms && value <= 24h, name + " must lie between 1 ms and 24 h");
}

}  // namespace

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
}

}  // namespace bulkhead::actors
