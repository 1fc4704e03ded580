// A blocking HTTP/1.1 client for tools, tests and users; a public header like server.hpp. CAF and
// OpenSSL are not included, and no thread is started.
//
//   bulkhead::client c("https://localhost:8443", {.ca_file = "ca.pem"});
//   const auto answer = c.get("/hello");
//   std::cout << answer.status << ' ' << answer.content;
//
// Redirections, cookies, proxies, content codings and upgrades are the caller's or nobody's.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/limits.hpp"
#include "protocol/request.hpp"
#include "protocol/response.hpp"

namespace bulkhead {

using client_request = protocol::request;
using content_source = protocol::content_source;

struct client_deadlines {
  // For an address of the host to answer and for TLS; shared by all addresses that a name has. The
  // system's resolver keeps its own time.
  std::chrono::milliseconds connect{10'000};
  // From the call of send() to the last octet, connecting and one retry included; absolute, so that
  // a server that drips can't extend it. Sources and sinks are not interrupted.
  std::chrono::milliseconds exchange{30'000};
  // How long content waits for 100 (Continue), RFC 9110 section 10.1.1.
  std::chrono::milliseconds continue_wait{1'000};
};

struct client_settings {
  client_deadlines deadlines{};
  std::string ca_file{};  // PEM: who may vouch for the server; empty: whom the system trusts
  bool verify = true;     // false: any certificate will do, and anybody may read along
  std::string certificate_file{};  // PEM: the client's own, if the server asks for one
  std::string key_file{};
  std::string password_file{};  // its first line opens the key; empty: it is not encrypted
  // Of an answer. content_bytes_max counts for sinks too.
  protocol::limits limits{};
};

// What went wrong out there; what() names the server and the reason. The caller's own mistakes are
// std::invalid_argument.
enum class client_failure : std::uint8_t {
  resolve,       // the name has no address
  connect,       // nobody listens, or not in time
  tls,           // the handshake failed, or what came does not decrypt
  certificate,   // of the server: not trusted, expired, or another host's
  deadline,      // of the exchange
  closed,        // the connection ended before the answer did
  bad_response,  // it is not HTTP/1.1, or beyond a limit
};

class client_error : public std::runtime_error {
 public:
  client_error(client_failure why, const std::string& server, std::string_view reason)
      : std::runtime_error(server + ": " + std::string(reason)), why_(why) {}
  client_failure why() const { return why_; }

 private:
  client_failure why_;
};

struct client_field {
  std::string name;  // as sent; names compare without case
  std::string value;
};

struct client_answer {
  int status = 0;
  std::vector<client_field> fields{};  // in their order
  std::string content{};               // without its transfer coding; empty when a sink took it
  std::vector<client_field> trailers{};

  // The first field with this name; empty: there is none. A view into this answer.
  std::string_view find(std::string_view name) const;
};

// Content that is not held in memory.
struct client_streams {
  // Of the request, instead of its own content; asked for each piece when the one before is sent.
  content_source source{};
  // Octets that it will give; nothing: not known, so sent in chunks. Other than what it gives then:
  // std::invalid_argument.
  std::optional<std::uint64_t> length{};
  // Takes the answer's content; a piece is a view for the call. `head` has status and fields. A
  // throw of either closes the connection and comes out of send().
  std::function<void(const client_answer& head, std::string_view piece)> sink{};
};

// Speaks to one server, over one connection at a time, which is kept for the next request. Used by
// one thread at a time.
class client {
 public:
  // `origin` is "http://host" or "https://host", with a port if it is another than 80 or 443; IPv6
  // in brackets. Reads the files, connects to nobody. Throws std::invalid_argument for the origin
  // or a limit, std::runtime_error that names a file.
  explicit client(std::string_view origin, client_settings settings = {});
  client(client&& other) noexcept;
  client& operator=(client&& other) noexcept;
  // Closes the connection.
  ~client();

  // A request to this server, with its Host; content and fields are for the caller to set.
  client_request request(std::string_view method, std::string_view target) const;

  // Sends and waits for the whole answer, whatever its status. Throws client_error; the next call
  // then connects anew. std::invalid_argument: the request can't be sent so; CONNECT and Upgrade
  // can't at all.
  //
  // A kept connection that has ended meanwhile is replaced before anything is sent. One that ends
  // behind the request without an octet of an answer may be so by chance (RFC 9112 section 9.3.1):
  // then an idempotent request (GET, HEAD, OPTIONS, TRACE, PUT, DELETE) whose source was not asked
  // yet is sent once more on a new one, and no other.
  //
  // Behind an answer that comes before all content is sent, such as 413, the rest is not sent.
  client_answer send(const client_request& asked, const client_streams& streams = {});

  client_answer get(std::string_view target) { return send(request("GET", target)); }

  // How many connections it has made so far; more than one says that the server ended some.
  std::uint64_t connections() const;

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace bulkhead
