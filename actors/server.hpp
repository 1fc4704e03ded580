#pragma once

// The public header of Bulkhead: a server, the requests that its handlers see
// and the responses that they give. CAF and OpenSSL are not included.
//
//   #include "actors/server.hpp"
//   int main() {
//     bulkhead::server server({.listen = {"127.0.0.1:8080"}});
//     server.get("/", [](const bulkhead::request&) {
//       return bulkhead::response::text("Hello, world!\n");
//     });
//     server.run();
//   }

#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/config.hpp"
#include "actors/request.hpp"
#include "protocol/response.hpp"

namespace bulkhead {

using response = protocol::response;

// Called once a request, in the connection's own session, on any thread and
// for several connections at once: what it captures must bear that. Whatever
// it throws becomes a 500, ends this connection and no other. It may block or
// spin without hurting other connections (config::spare_threads_max).
using handler = std::function<response(const request&)>;

// Turns what a handler threw into the response to send; rethrow to inspect it.
// When the hook itself throws, the plain 500 is sent.
using exception_hook = std::function<response(const request&, std::exception_ptr)>;

// Counters since start; each is exact once the server is stopped.
struct statistics {
  std::uint64_t accepted = 0;            // connections accepted, refused ones included
  std::uint64_t sessions = 0;            // sessions alive now
  std::uint64_t sessions_refused = 0;    // connections beyond sessions_max
  std::uint64_t sessions_ended = 0;      // down messages that the acceptors received
  std::uint64_t requests = 0;            // requests handed to a handler
  std::uint64_t requests_refused = 0;    // malformed, too large or too slow
  std::uint64_t handler_exceptions = 0;  // requests that ended in a 500
  std::uint64_t handovers = 0;           // reactors taken from a stuck handler
};

class server {
 public:
  // Does no more than keep the settings; start() checks them.
  explicit server(config settings = {});
  // Stops first, when it runs.
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  // Routes; only before start(). A pattern is a path whose segments may be
  // {name}, which stands for any one segment: "/users/{id}". A fixed segment
  // wins over a parameter. A path that no pattern matches goes to the fallback,
  // which answers 404 unless set; a known path with another method is answered
  // 405 with Allow, OPTIONS by the methods that the path has, HEAD by GET.
  // Throws std::invalid_argument for a malformed pattern or one given twice.
  server& route(std::initializer_list<std::string_view> methods, std::string_view pattern,
                handler handle);
  server& get(std::string_view pattern, handler handle);
  server& post(std::string_view pattern, handler handle);
  server& fallback(handler handle);
  server& on_exception(exception_hook hook);

  // Binds and serves on threads of its own; returns at once. Throws
  // std::invalid_argument for a setting, std::system_error for an address;
  // nothing runs then, and start() may be called again.
  void start();

  // The addresses that are bound, in the order of config::listen, with their
  // real ports: "127.0.0.1:41873". Empty unless started.
  std::vector<std::string> addresses() const;

  statistics stats() const;

  // Closes the listeners, ends every session, waits for handlers that still
  // run. From any thread but a handler's; a second call, or one before start(),
  // does nothing. The server may be started again afterwards.
  void stop();

  // start(), wait for SIGTERM or SIGINT, stop(). From the main thread, before
  // other threads exist: it blocks both signals in the calling thread.
  void run();

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace bulkhead
