#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "actors/guest_handler.hpp"
#include "protocol/limits.hpp"

namespace bulkhead {

// How long each state of a connection may last. Every deadline is absolute: it
// is set when the state begins, and neither bytes nor messages move it.
struct deadlines {
  // From accept to the end of a TLS handshake; then the connection is closed.
  std::chrono::milliseconds handshake{10'000};
  // From accept, or from the handshake, to the first byte; then the connection is closed without a
  // word.
  std::chrono::milliseconds first_byte{10'000};
  // From the first byte of a request to the end of its head; then 408.
  std::chrono::milliseconds head{10'000};
  // From the head to the end of the content; then 408. See content_rate_min.
  std::chrono::milliseconds content{300'000};
  // From the start of a handler to its response; then 503. The handler is told
  // by request::cancelled(), its late result is dropped.
  std::chrono::milliseconds handler{30'000};
  // From the moment when the peer takes no more of a response until it does;
  // then the connection is reset. Streamed responses have no other bound.
  std::chrono::milliseconds write_stall{30'000};
  // From an answer to the next request's first byte; then closed without a word.
  std::chrono::milliseconds idle{60'000};
  // How long a closing connection is read, and its bytes dropped, so that the
  // last answer reaches a client that is still sending (RFC 9112 section 9.6).
  std::chrono::milliseconds linger{2'000};
  // While draining: how long an idle connection may still send a request.
  std::chrono::milliseconds drain_grace{500};
  // From the start of a drain to the end of everything that is left.
  std::chrono::milliseconds drain{30'000};
};

// A certificate, and what is asked of the clients that it is shown to.
struct tls_host {
  std::string certificate_file{};  // PEM: the host's, then each one's issuer
  std::string key_file{};          // PEM; may be the same file
  std::string password_file{};     // its first line opens the key; empty: it is not encrypted
  std::string client_ca_file{};    // PEM: who may sign clients' certificates
  // "off", "optional" or "required".
  std::string client_certificates{"off"};

  bool operator==(const tls_host&) const = default;
};

// Everything that can be set about a server. Every bound has a safe default;
// server::start() refuses values that make no sense and names the setting.
struct config {
  // ADDRESS:PORT, IPv6 in brackets, port 0 lets the system choose; a name listens
  // on each of its addresses; "unix:/path"; "systemd" for sockets passed by it.
  std::vector<std::string> listen{"127.0.0.1:8080"};

  // The same for HTTPS. Its hosts are found by the names in their certificates, in the
  // order given; their files are read at start and at each reload.
  std::vector<std::string> tls_listen{};
  std::vector<tls_host> tls_hosts{};
  // A folder for a certificate of localhost, signed by itself, which is made when it is
  // not there; for trying things out, when tls_hosts names none.
  std::string tls_self_signed{};
  // What a name gets that no certificate has: "default", the first one, or "refuse".
  std::string tls_unknown_names{"default"};

  // Reactors, each an epoll loop on a thread of its own; 0: one a CPU that
  // this process may use (affinity and cgroup quota respected). At most 256.
  unsigned threads = 0;

  // Threads beyond that which may be stuck in handlers that spin or block
  // before the reactors themselves are stuck. At most 1024.
  unsigned spare_threads_max = 64;

  // Connections at once; the one after that is answered 503 and closed.
  std::size_t sessions_max = 10'000;

  // Bytes that sessions hold in buffers and contents, all together; beyond it
  // the largest holders are closed (reason shed).
  std::size_t memory_bytes_max = std::size_t{1} << 30;

  // Content that no handler wants is read and dropped, so that the connection can be
  // kept, when its announced length is up to this; else the connection closes.
  std::size_t discarded_content_bytes_max = std::size_t{256} << 10;

  // Content that arrives more slowly than this, in bytes a second since the head
  // and after the first five seconds, is cut off with 408; 0: no minimum.
  std::size_t content_rate_min = 250;

  // Where every request, refusal and cut connection goes as a line: a file,
  // "-" for standard output, or empty for nowhere. See access_format.hpp.
  std::string access_log{};
  // "json" or "text".
  std::string access_log_format{"json"};

  // ADDRESS:PORT of a listener for operators, with /metrics, /healthz and /readyz;
  // whoever reaches it may read. Empty: none.
  std::string admin_listen{};

  // Folder whose files the program `bulkhead serve` serves at /, in place of its demo;
  // empty: the demo. A server of your own routes files() itself, see files.hpp.
  std::string root{};

  // Handlers that run in sandboxes; a path and method that it has wins over server::route()'s.
  std::vector<guest_handler> handlers{};
  // Layers of containment (sandbox/README.md) without which it does not start when there are
  // handlers; which ones are missing is logged in any case.
  std::vector<std::string> sandbox_require{};
  // Folder for translated WebAssembly modules, which only its owner may write to: what is in there
  // is executed.
  std::string wasm_cache{"wasm-cache"};

  protocol::limits limits{};
  bulkhead::deadlines deadlines{};
};

}  // namespace bulkhead
