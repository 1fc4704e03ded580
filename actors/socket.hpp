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
  // Whoever takes it has to close it.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// An IPv4 or IPv6 address with its port, or of a unix socket no more than its family, in 28 bytes:
// a session keeps its peer's.
union peer_address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

// "127.0.0.1:80", "[::1]:80" or "unix".
std::string to_string(const peer_address& address);

// `count` listening sockets on one ADDRESS:PORT, which share its connections
// (SO_REUSEPORT); port 0 lets the system choose one port for all of them.
// Throws std::system_error that names the address when it can't be bound, also
// when any other socket listens there.
std::vector<unique_fd> listen_on(const peer_address& address, unsigned count);

// Every address that HOST:PORT stands for, each once. Of a host in digits that is
// one; a name may have several. Throws std::invalid_argument that quotes the text.
std::vector<peer_address> resolve(std::string_view text);

// The same on the first address of HOST:PORT.
std::vector<unique_fd> listen_on(std::string_view text, unsigned count);

// `count` descriptors, the given one first, of one and the same socket.
std::vector<unique_fd> duplicates(unique_fd first, unsigned count);

// For a TCP listener that someone else made, what listen_on() sets; nothing for
// any other socket.
void set_tcp_options(int fd);

// The address that a socket is bound to.
peer_address local_address(int fd);

// The same as text; for a unix socket "unix:/its/path", or "unix:@name" for one
// without a file.
std::string bound_to(int fd);

}  // namespace bulkhead::actors
