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
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/access_record.hpp"
#include "actors/config.hpp"
#include "actors/files.hpp"
#include "actors/handler.hpp"

namespace bulkhead {

namespace actors {
struct listening;
}

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
  std::uint64_t shed = 0;                // sessions closed over the memory budget
  std::uint64_t held_bytes = 0;          // what sessions hold now, see config::memory_bytes_max
  // Completions of sessions, see actors/gate.hpp.
  std::uint64_t completion_attempts = 0;
  std::uint64_t completion_full = 0;
  std::uint64_t completion_retries = 0;
  std::uint64_t completion_deliveries = 0;
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
  // {name}, which stands for any one segment: "/users/{id}"; the last may be
  // {name...}, which stands for all that follows, or nothing: "/static/{path...}".
  // A fixed segment wins over a parameter, that over the rest. A path that no
  // pattern matches goes to the fallback, which answers 404 unless set; a known path
  // with another method is answered 405 with Allow, OPTIONS by the methods that the
  // path has, HEAD by GET.
  // Throws std::invalid_argument for a malformed pattern or one given twice.
  server& route(std::initializer_list<std::string_view> methods, std::string_view pattern,
                handler handle);
  server& get(std::string_view pattern, handler handle);
  server& post(std::string_view pattern, handler handle);
  // A route whose handler takes the content while it arrives.
  server& receive(std::initializer_list<std::string_view> methods, std::string_view pattern,
                  upload_handler handle);
  server& fallback(handler handle);
  // Takes a record of every request and of every connection that ends in one.
  server& on_access(access_sink sink);
  server& on_exception(exception_hook hook);

  // Binds and serves on threads of its own; returns at once. Throws
  // std::invalid_argument for a setting, std::system_error for an address;
  // nothing runs then, and start() may be called again.
  void start();
  // The same on sockets that are open already, for a supervisor that keeps them
  // (actors/listener.hpp); the settings' own addresses and threads are not looked at.
  // `without_failed`: a handler of config::handlers that can't be had is answered 503 and does not
  // end the start, as when its file goes away while the server runs.
  void start(actors::listening&& sockets, bool without_failed = false);

  // New settings while it serves: limits for the connections that come from now on,
  // all else from now on. Certificates and keys are read again for the connections that
  // come, and the access log's file is opened anew, for a rotation. Throws
  // std::invalid_argument and changes nothing; std::system_error when the log can't be
  // opened, which then stays as it was. Returns the names of settings that differ but
  // count at the next start only.
  std::vector<std::string> reload(config next);

  // The addresses that are bound, config::listen's and then tls_listen's, with their real
  // ports: "127.0.0.1:41873" or "unix:/path". Empty unless started.
  std::vector<std::string> addresses() const;

  // Of the listener for operators, with its real port; empty unless there is one.
  std::string admin_address() const;

  statistics stats() const;

  // Ends in order: listeners closed, idle connections closed after a short grace
  // in which a late request is still answered, busy ones after their answer, which
  // says Connection: close; after deadlines.drain whatever is left is cut. Returns
  // when nothing is left. Threads as for stop(), which may cut it short.
  void drain();

  // Closes the listeners, ends every session at once, waits for handlers that
  // still run. A second call, or one before start(), does nothing. The server may
  // be started again afterwards. From a handler it only asks run() to end.
  void stop();

  // start() unless started, wait for SIGTERM, SIGINT or a handler's stop(), drain();
  // the second of these stops. From the main thread: it blocks both signals in the calling thread.
  void run();

 private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

}  // namespace bulkhead
