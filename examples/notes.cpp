// Routes with parameters, state shared between sessions, streaming, and a hook for exceptions.
//
//   ./notes 127.0.0.1:8080
//   curl -X PUT --data 'buy milk' http://127.0.0.1:8080/notes/1
//   curl http://127.0.0.1:8080/notes/1
//   curl http://127.0.0.1:8080/notes
#include <exception>
#include <iostream>
#include <map>
#include <mutex>
#include <string>

#include "actors/server.hpp"

namespace {

using bulkhead::request;
using bulkhead::response;

// Handlers run in many sessions at once, so what they share takes a lock.
class notes {
 public:
  response put(const request& r) {
    const std::lock_guard guard(mutex_);
    texts_.insert_or_assign(std::string(r.parameter("id")), std::string(r.content()));
    return response(204);
  }

  response get(const request& r) {
    const std::lock_guard guard(mutex_);
    // at() throws for an unknown id; the hook in main makes a 404 of it.
    return response::text(texts_.at(std::string(r.parameter("id"))) + "\n");
  }

  // One note a piece: a client that reads slowly slows the loop down, nothing piles up.
  response list(const request&) {
    return response::text("").set_source([this, last = std::string()](std::string& piece) mutable {
      const std::lock_guard guard(mutex_);
      const auto next = texts_.upper_bound(last);
      if (next == texts_.end()) return false;
      last = next->first;
      piece = next->first + ": " + next->second + "\n";
      return true;
    });
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

response explain(const request& r, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::out_of_range&) {
    return response::text("no note " + std::string(r.parameter("id")) + "\n", 404);
  }
}

}  // namespace

int main(int argc, char** argv) {
  notes all;
  bulkhead::server server({.listen = {argc > 1 ? argv[1] : "127.0.0.1:8080"}});
  server.get("/notes", [&](const request& r) { return all.list(r); });
  server.get("/notes/{id}", [&](const request& r) { return all.get(r); });
  server.route({"PUT"}, "/notes/{id}", [&](const request& r) { return all.put(r); });
  server.on_exception(explain);
  server.start();
  for (const auto& address : server.addresses()) std::cout << "http://" << address << std::endl;
  server.run();
}
