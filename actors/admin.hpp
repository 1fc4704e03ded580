// The listener for those who run the server, apart from the one that they run it for:
//
//   GET /metrics  what metrics.hpp lists
//   GET /healthz  200 while every reactor answers, else 503: restart it
//   GET /handlers the handlers in sandboxes: what they ended in, whether their circuit is open, and
//                their last faults, as JSON
//   GET /readyz   200 while new requests are welcome, else 503: not started, or draining
//
// It is a server of its own, with one thread and small bounds, so that a flood on one
// does not silence the other. Anyone who reaches its address may read: bind it to
// loopback or to a network of the operators'. Keep it until the drain is over, so that
// /readyz can tell.
#pragma once

#include <functional>
#include <string>

#include "actors/listener.hpp"
#include "actors/metrics.hpp"
#include "actors/server.hpp"

namespace bulkhead::actors {

// Called on the admin server's own threads, several at once; they may block for a
// while. Whatever they throw is answered 500.
struct admin_sources {
  std::function<metrics_snapshot()> figures;
  // What is wrong, in a few words for the operator; nothing: all is well. Without a
  // function all is always well.
  std::function<std::string()> live;
  std::function<std::string()> ready;
  std::function<std::string()> handlers;  // as JSON
};

class admin {
 public:
  // Serves at once, on one listener with one socket.
  admin(listener on, admin_sources sources);

  // With the real port.
  std::string address() const { return server_.addresses().front(); }

 private:
  server server_;
};

}  // namespace bulkhead::actors
