// What light clients of a server notice: latencies of GET /hello, asked at a steady pace.
//
//   latency PORT SECONDS
//
// Eight keep-alive connections, and one place where each request comes on a new connection, its
// opening included. Prints two lines: name, requests, failures, then in µs median, 99th percentile,
// worst, and by how much the client itself once came too late out of a pause. Since that lateness
// hits latencies too, a worst case below it says nothing about the server.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using std::chrono::steady_clock;
using microseconds = std::chrono::duration<std::int64_t, std::micro>;

constexpr unsigned kept_connections = 8;
constexpr std::chrono::milliseconds pause{2};
constexpr time_t patience_s = 10;
constexpr std::string_view request = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
// What answers end in.
std::string content = "\r\n\r\nHello, world!";

class connection {
 public:
  connection() = default;
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection() { close(); }

  bool open(std::uint16_t port) {
    close();
    fd_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    const timeval patience{patience_s, 0};
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server.sin_port = htons(port);
    return ::connect(fd_, reinterpret_cast<sockaddr*>(&server), sizeof server) == 0;
  }

  bool exchange() {
    if (::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) < 0) return false;
    std::size_t size = 0;
    for (;;) {
      const auto got = ::recv(fd_, answer_ + size, sizeof answer_ - size, 0);
      if (got <= 0) return false;
      size += static_cast<std::size_t>(got);
      const std::string_view all(answer_, size);
      if (all.ends_with(content)) return all.starts_with("HTTP/1.1 200 ");
    }
  }

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
  char answer_[1024];
};

struct stream {
  std::vector<microseconds> latencies;
  std::size_t failures = 0;
  microseconds late_max{0};

  void take(stream& other) {
    latencies.insert(latencies.end(), other.latencies.begin(), other.latencies.end());
    failures += other.failures;
    late_max = std::max(late_max, other.late_max);
  }
};

microseconds since(steady_clock::time_point begin) {
  return std::chrono::duration_cast<microseconds>(steady_clock::now() - begin);
}

stream ask(std::uint16_t port, steady_clock::time_point end, bool keeps) {
  stream seen;
  connection server;
  bool is_open = keeps && server.open(port);
  do {
    const auto begin = steady_clock::now();
    if (!keeps || !is_open) is_open = server.open(port);
    if (!is_open || !(is_open = server.exchange())) ++seen.failures;
    seen.latencies.push_back(since(begin));
    const auto next = steady_clock::now() + pause;
    std::this_thread::sleep_until(next);
    seen.late_max = std::max(seen.late_max, since(next));
  } while (steady_clock::now() < end);
  return seen;
}

void print(const char* name, stream& seen) {
  auto& all = seen.latencies;
  std::sort(all.begin(), all.end());
  const auto at = [&](std::size_t percent) {
    return static_cast<long long>(
        all[std::min(all.size() * percent / 100, all.size() - 1)].count());
  };
  std::printf("%s %zu %zu %lld %lld %lld %lld\n", name, all.size(), seen.failures, at(50), at(99),
              at(100), static_cast<long long>(seen.late_max.count()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fputs("usage: latency PORT SECONDS [CONTENT]\n", stderr);
    return 2;
  }
  if (argc == 4) content = std::string("\r\n\r\n") + argv[3];
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const std::chrono::duration<double> length(std::atof(argv[2]));
  const auto end = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(length);

  std::vector<stream> seen(kept_connections + 1);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < seen.size(); ++i)
      threads.emplace_back([&, i] { seen[i] = ask(port, end, i < kept_connections); });
  }
  stream kept;
  for (std::size_t i = 0; i < kept_connections; ++i) kept.take(seen[i]);
  print("kept", kept);
  print("new", seen.back());
}
