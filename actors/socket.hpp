// Sockets: owned descriptors, listening, and addresses as text.
#pragma once

#include <netinet/in.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulkhead::actors {

// Owns a descriptor and closes it.
class unique_fd {
 public:
  unique_fd() = default;
  explicit unique_fd(int fd) : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~unique_fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// An IPv4 or IPv6 address with its port, in 28 bytes: a session keeps its peer's.
union peer_address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

// "127.0.0.1:80" or "[::1]:80".
std::string to_string(const peer_address& address);

// `count` listening sockets on one ADDRESS:PORT, which share its connections
// (SO_REUSEPORT); port 0 lets the system choose one port for all of them.
// Throws std::invalid_argument for text that is no such address, and
// std::system_error when it can't be bound, also when any other socket listens
// there; both name the address.
std::vector<unique_fd> listen_on(std::string_view address, unsigned count);

// The address that a socket is bound to.
peer_address local_address(int fd);

}  // namespace bulkhead::actors
