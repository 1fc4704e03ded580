// A server of a test's own on loopback, and records of what it did.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "actors/server.hpp"

namespace bulkhead::tests {

inline config on_loopback(unsigned threads = 2) {
  config settings;
  settings.listen = {"127.0.0.1:0"};
  settings.threads = threads;
  return settings;
}

// Serves /hello, /echo and whatever the test adds; counts the reasons of its records.
class served {
 public:
  explicit served(config settings = on_loopback()) : server_(std::move(settings)) {
    server_.get("/hello", [](const request&) { return response::text("hello"); });
    server_.post("/echo",
                 [](const request& r) { return response::bytes(std::string(r.content())); });
    server_.on_access([this](const access_record& what) {
      const std::lock_guard guard(mutex_);
      ended_by_.push_back(what.why);
    });
  }
  server* operator->() { return &server_; }

  // The address of the first listener.
  std::string start() {
    server_.start();
    return server_.addresses().front();
  }

  // Records with that reason so far.
  int count(reason why) {
    const std::lock_guard guard(mutex_);
    return static_cast<int>(std::count(ended_by_.begin(), ended_by_.end(), why));
  }

 private:
  // The server last: it stops first, and its sessions' last records still find these.
  std::mutex mutex_;
  std::vector<reason> ended_by_;
  server server_;
};

}  // namespace bulkhead::tests
