// A server that follows a script, for what ours would never do.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "actors/socket.hpp"

namespace bulkhead::tests {

inline const std::string ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// On a free port of 127.0.0.1; accept() waits.
inline actors::unique_fd blocking_listener() {
  auto listener = std::move(actors::listen_on("127.0.0.1:0", 1).front());
  ::fcntl(listener.get(), F_SETFL, 0);
  return listener;
}

// Reads a request's head and writes a text, so often on each connection, and then closes it. An
// empty text writes nothing. Never more connections than it has scripts for.
class scripted {
 public:
  using script = std::vector<std::string>;

  explicit scripted(const script& first, const script& second = {}, const script& third = {})
      : listener_(blocking_listener()),
        address_(actors::bound_to(listener_.get())),
        thread_([this, all = std::vector{first, second, third}] {
          for (const auto& one : all) serve(one);
        }) {}
  ~scripted() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  scripted(const scripted&) = delete;
  scripted& operator=(const scripted&) = delete;

  std::string origin() const { return "http://" + address_; }
  // Heads that were read.
  int heads() const { return heads_; }

 private:
  void serve(const script& texts) {
    if (texts.empty()) return;
    const actors::unique_fd connection(::accept(listener_.get(), nullptr, nullptr));
    if (!connection) return;
    for (const auto& text : texts) {
      std::string head;
      for (char octet = 0; !head.ends_with("\r\n\r\n"); head += octet)
        if (::recv(connection.get(), &octet, 1, 0) != 1) return;
      ++heads_;
      ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL);
    }
  }

  actors::unique_fd listener_;
  std::string address_;
  std::atomic<int> heads_{0};
  std::thread thread_;
};

}  // namespace bulkhead::tests
