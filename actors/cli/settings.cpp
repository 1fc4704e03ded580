#include "actors/cli/settings.hpp"

#include <array>

#include "actors/cli/address.hpp"
#include "actors/cli/setting_kinds.hpp"
#include "actors/validate.hpp"

namespace bulkhead::cli {
namespace {

template <class Where>
constexpr texts_setting addresses(Where) {
  return {[](const config& in) { return Where{}(in); },
          [](config& in, const std::vector<std::string>& texts) { Where{}(in) = texts; },
          R"(an array of addresses such as ["127.0.0.1:8080"])", address_fault};
}

// A member of each of config::tls_hosts, in order. Hosts that are left without anything go.
template <class Where>
constexpr texts_setting of_hosts(Where, std::string_view what,
                                 std::optional<std::string> (*fault)(std::string_view)) {
  return {[](const config& in) {
            std::vector<std::string> texts;
            for (const auto& host : in.tls_hosts) texts.push_back(Where{}(host));
            return texts;
          },
          [](config& in, const std::vector<std::string>& texts) {
            auto& hosts = in.tls_hosts;
            if (hosts.size() < texts.size()) hosts.resize(texts.size());
            const tls_host none;
            for (std::size_t i = 0; i < hosts.size(); ++i)
              Where{}(hosts[i]) = i < texts.size() ? texts[i] : Where{}(none);
            while (!hosts.empty() && hosts.back() == none) hosts.pop_back();
          },
          what, fault};
}

std::optional<std::string> format_fault(std::string_view text) {
  if (text == "json" || text == "text") return std::nullopt;
  return "is neither json nor text";
}

std::optional<std::string> client_rule_fault(std::string_view text) {
  if (text == "off" || text == "optional" || text == "required") return std::nullopt;
  return "is neither off, optional nor required";
}

std::optional<std::string> unknown_names_fault(std::string_view text) {
  if (text == "default" || text == "refuse") return std::nullopt;
  return "is neither default nor refuse";
}

std::optional<std::string> layer_fault(std::string_view text) {
  const auto names = actors::sandbox_layers();
  if (names.find("'" + std::string(text) + "'") != names.npos) return std::nullopt;
  return "is none of " + names;
}

constexpr std::string_view file_names = "an array of file names";
constexpr auto any = control_fault;

// Ranges are those of validate() and protocol::check(), and never wider.
const std::array rows{
    setting{"", "listen", "--listen",
            "HOST:PORT, unix:PATH, or systemd for the sockets that it passes; may be repeated",
            addresses([](auto& in) -> auto& { return in.listen; })},
    setting{"", "tls_listen", "--tls-listen",
            "The same for HTTPS; needs --cert and --key, or --self-signed",
            addresses([](auto& in) -> auto& { return in.tls_listen; })},
    setting{"", "threads", "--threads", "Reactor threads; 0: one a CPU",
            number(
                {0, 256}, [](auto& in) -> auto& { return in.threads; })},
    setting{"", "spare_threads_max", "--spare-threads-max",
            "More threads, for handlers that are stuck",
            number(
                {0, 1024}, [](auto& in) -> auto& { return in.spare_threads_max; })},
    setting{"", "sessions_max", "--max-sessions", "Connections at once (503)",
            number(
                {1, 10'000'000}, [](auto& in) -> auto& { return in.sessions_max; })},
    setting{"", "memory_bytes_max", "--memory-bytes-max",
            "Buffers and contents of all connections; beyond it the largest are closed",
            number(
                {mib, 1024 * gib}, [](auto& in) -> auto& { return in.memory_bytes_max; })},
    setting{"", "discarded_content_bytes_max", "--discarded-content-bytes-max",
            "Unwanted content that is read to keep a connection",
            number(
                {0, gib}, [](auto& in) -> auto& { return in.discarded_content_bytes_max; })},
    setting{"", "content_rate_min", "--content-rate-min",
            "Bytes a second that content must arrive with (408); 0: no minimum",
            number(
                {0, gib}, [](auto& in) -> auto& { return in.content_rate_min; })},

    setting{"", "access_log", "--access-log",
            "File for a line a request; - for standard output; empty for none",
            text_setting{[](config& in) -> std::string& { return in.access_log; },
                         "a file name, -, or nothing", control_fault}},
    setting{"", "access_log_format", "--access-log-format", "json or text",
            text_setting{[](config& in) -> std::string& { return in.access_log_format; },
                         "json or text", format_fault}},
    setting{"", "admin_listen", "--admin-listen",
            "HOST:PORT of /metrics, /healthz, /readyz and /handlers; empty for none",
            text_setting{[](config& in) -> std::string& { return in.admin_listen; },
                         "an address such as 127.0.0.1:9090, or nothing", address_fault}},
    setting{"", "root", "--root", "Folder whose files are served at /; empty for the demo",
            text_setting{[](config& in) -> std::string& { return in.root; },
                         "a folder's name, or nothing", control_fault}},

    setting{"tls", "cert", "--cert",
            "PEM file: a host's certificate, then each one's issuer; may be repeated",
            of_hosts(
                [](auto& in) -> auto& { return in.certificate_file; }, file_names, any)},
    setting{"tls", "key", "--key", "PEM file: the key of the certificate given in that place",
            of_hosts(
                [](auto& in) -> auto& { return in.key_file; }, file_names, any)},
    setting{"tls", "password", "--key-password",
            "File whose first line opens the key given in that place",
            of_hosts(
                [](auto& in) -> auto& { return in.password_file; }, file_names, any)},
    setting{"tls", "client_ca", "--client-ca",
            "PEM file: who may sign the certificates of that host's clients",
            of_hosts(
                [](auto& in) -> auto& { return in.client_ca_file; }, file_names, any)},
    setting{"tls", "client_certificates", "--client-certificates",
            "off, optional or required, for the host in that place",
            of_hosts(
                [](auto& in) -> auto& { return in.client_certificates; },
                "an array of off, optional and required", client_rule_fault)},
    setting{"tls", "self_signed", "--self-signed",
            "Folder for a certificate of localhost, made when it is not there; empty for none",
            text_setting{[](config& in) -> std::string& { return in.tls_self_signed; }, "a folder",
                         control_fault}},
    setting{"tls", "unknown_names", "--unknown-names",
            "A server name that no certificate has: default, the first one, or refuse",
            text_setting{[](config& in) -> std::string& { return in.tls_unknown_names; },
                         "default or refuse", unknown_names_fault}},

    setting{"sandbox", "require", "--sandbox-require",
            "A layer of containment that handlers in processes must have; may be repeated",
            texts_setting{[](const config& in) { return in.sandbox_require; },
                          [](config& in, const std::vector<std::string>& texts) {
                            in.sandbox_require = texts;
                          },
                          "an array of layers", layer_fault}},
    setting{"sandbox", "wasm_cache", "--wasm-cache",
            "Folder for translated WebAssembly modules, which only its owner may write to",
            text_setting{[](config& in) -> std::string& { return in.wasm_cache; }, "a folder",
                         control_fault}},

    setting{"limits", "request_line_bytes_max", "--request-line-bytes-max",
            "Longest request line (414)",
            number(
                {16, 65536}, [](auto& in) -> auto& { return in.limits.request_line_bytes_max; }),
            "head_bytes_max"},
    setting{"limits", "head_bytes_max", "--head-bytes-max", "Largest head (431)",
            number(
                {64, 65536}, [](auto& in) -> auto& { return in.limits.head_bytes_max; })},
    setting{"limits", "fields_max", "--fields-max", "Field lines in a head (431)",
            number(
                {1, 16384}, [](auto& in) -> auto& { return in.limits.fields_max; })},
    setting{"limits", "field_name_bytes_max", "--field-name-bytes-max", "Longest field name (431)",
            number(
                {17, 65536}, [](auto& in) -> auto& { return in.limits.field_name_bytes_max; }),
            "head_bytes_max"},
    setting{"limits", "chunk_extension_bytes_max", "--chunk-extension-bytes-max",
            "Chunk extensions of a message (413)",
            number(
                {0, gib}, [](auto& in) -> auto& { return in.limits.chunk_extension_bytes_max; })},
    setting{"limits", "trailer_bytes_max", "--trailer-bytes-max", "Largest trailer section (431)",
            number(
                {2, gib}, [](auto& in) -> auto& { return in.limits.trailer_bytes_max; })},
    setting{"limits", "trailer_fields_max", "--trailer-fields-max",
            "Field lines in a trailer section (431)",
            number(
                {0, 16384}, [](auto& in) -> auto& { return in.limits.trailer_fields_max; })},
    setting{"limits", "content_bytes_max", "--content-bytes-max",
            "Largest content of a request (413)",
            number(
                {0, 1024 * gib}, [](auto& in) -> auto& { return in.limits.content_bytes_max; })},
    setting{"limits", "leading_empty_lines_max", "--leading-empty-lines-max",
            "Empty lines before a request line (400)",
            number(
                {0, 100}, [](auto& in) -> auto& { return in.limits.leading_empty_lines_max; })},

    setting{"deadlines", "handshake_ms", "--handshake-deadline-ms",
            "From accept to the end of a TLS handshake; then closed",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.handshake; })},
    setting{"deadlines", "first_byte_ms", "--first-byte-deadline-ms",
            "From accept to the first byte; then closed",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.first_byte; })},
    setting{"deadlines", "head_ms", "--head-deadline-ms",
            "From a request's first byte to the end of its head (408)",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.head; })},
    setting{"deadlines", "content_ms", "--content-deadline-ms",
            "From the head to the end of the content (408)",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.content; })},
    setting{"deadlines", "handler_ms", "--handler-deadline-ms",
            "From the start of a handler to its response (503)",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.handler; })},
    setting{"deadlines", "write_stall_ms", "--write-stall-deadline-ms",
            "While the peer takes nothing of a response; then reset",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.write_stall; })},
    setting{"deadlines", "idle_ms", "--idle-deadline-ms",
            "From an answer to the next request; then closed",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.idle; })},
    setting{"deadlines", "linger_ms", "--linger-deadline-ms",
            "How long a closing connection is still read",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.linger; })},
    setting{"deadlines", "drain_grace_ms", "--drain-grace-deadline-ms",
            "How long an idle connection may still send a request during a drain",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.drain_grace; })},
    setting{"deadlines", "drain_ms", "--drain-deadline-ms",
            "From the start of a drain to the end of everything",
            number(
                deadline_ms, [](auto& in) -> auto& { return in.deadlines.drain; })},
};

}  // namespace

std::span<const setting> settings() {
  return rows;
}

std::string full_name(const setting& of) {
  return of.table.empty() ? std::string(of.key) : std::string(of.table) + "." + std::string(of.key);
}

}  // namespace bulkhead::cli
