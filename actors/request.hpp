#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "protocol/request_head.hpp"

namespace bulkhead {

namespace actors {
union peer_address;
}

// A part of the path that a route's pattern named: "{id}" and what stood there.
struct path_parameter {
  std::string_view name;
  std::string_view value;
  bool is_rest = false;  // of a "{name...}": everything to the end of the path
};

// What a handler sees of the connection's TLS.
struct tls_facts {
  std::string_view version{};        // "TLSv1.3"
  std::string_view cipher{};         // its IANA name
  std::string server_name{};         // that the client asked for (SNI), in lower case; may be empty
  std::string client_subject{};      // of its certificate, verified, RFC 2253; empty: it sent none
  std::string client_fingerprint{};  // the certificate's SHA-256 in hexadecimal; empty: none
  bool resumed = false;
};

// What a handler sees of a request: views into the session's own buffers.
// Every view lives until the handler returns; copy what must live longer.
// Read it from the handler's own call only.
class request {
 public:
  request(const protocol::request_head& head, std::string_view content,
          std::span<const path_parameter> parameters, const actors::peer_address& peer,
          std::uint64_t id, const std::atomic<bool>& cancelled, const tls_facts* tls = nullptr)
      : head_(head),
        content_(content),
        parameters_(parameters),
        peer_(peer),
        id_(id),
        cancelled_(cancelled),
        tls_(tls) {}

  std::string_view method() const { return head_.method(); }
  // The request target as it was sent (RFC 9112 section 3.2).
  std::string_view target() const { return head_.target(); }
  // Path and query are still percent-encoded; the query is without its '?'.
  std::string_view path() const { return head_.path(); }
  std::string_view query() const { return head_.query(); }
  // Host and port that the client asked for; an absolute target wins over Host.
  std::string_view authority() const { return head_.authority(); }
  // Only the transport decides, never the target (RFC 9110 section 4.2.2).
  std::string_view scheme() const { return tls_ ? "https" : "http"; }
  // Of the connection; nullptr: it has no TLS. Lives as long as the views.
  const tls_facts* tls() const { return tls_; }

  // The first field of that name, compared without case.
  std::optional<std::string_view> field(std::string_view name) const { return head_.find(name); }
  // All fields in the order of arrival, as {name, value}.
  auto fields() const { return head_.fields(); }

  // The protocols, comma-separated, that the client would rather speak on this connection
  // (RFC 9110 section 7.8); empty: none, or it can't have one. See response::set_upgrade().
  std::string_view upgrade() const { return head_.upgrade(); }

  // The whole content, decoded from its transfer coding.
  std::string_view content() const { return content_; }

  // The part of the path that stood for {name} in the route's pattern, still
  // percent-encoded; empty when the pattern has no such parameter.
  std::string_view parameter(std::string_view name) const;
  // All of them, in the pattern's order.
  std::span<const path_parameter> parameters() const { return parameters_; }
  // What stood for the {name...} at the end of the route's pattern; of a pattern
  // without one, the whole path behind its first slash. Still percent-encoded.
  std::string_view rest_of_path() const;

  // The value of `name=value` in the query, still percent-encoded; an item
  // without '=' has an empty value.
  std::optional<std::string_view> query_value(std::string_view name) const;

  // Address and port of the connection's other end: "127.0.0.1:41234".
  std::string peer() const;
  // Unique in this process; the error log and a 500 name it.
  std::uint64_t id() const { return id_; }

  // True when nobody waits for the answer any more: the client has gone, or the
  // handler's deadline has passed. For handlers that take long to look at.
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  const protocol::request_head& head_;
  std::string_view content_;
  std::span<const path_parameter> parameters_;
  const actors::peer_address& peer_;
  std::uint64_t id_;
  const std::atomic<bool>& cancelled_;
  const tls_facts* tls_;
};

}  // namespace bulkhead
