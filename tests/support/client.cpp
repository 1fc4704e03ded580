#include "tests/support/client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace bulkhead::tests {

namespace {

void set_timeout(int fd, std::chrono::microseconds time) {
  timeval limit{};
  limit.tv_sec = time.count() / 1'000'000;
  limit.tv_usec = time.count() % 1'000'000;
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// Where an answer that begins at 0 ends; npos: not yet.
std::size_t end_of_answer(std::string_view bytes, std::string_view method) {
  const auto head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return head_end;
  const auto head = bytes.substr(0, head_end + 2);
  const int status = status_of(bytes);
  const auto content = head_end + 4;
  if (method == "HEAD" || status < 200 || status == 204 || status == 304) return content;
  if (head.find("Transfer-Encoding: chunked\r\n") != std::string_view::npos) {
    const auto last = bytes.find("0\r\n\r\n", content);
    return last == std::string_view::npos ? last : last + 5;
  }
  constexpr std::string_view name = "Content-Length: ";
  const auto field = head.find(name);
  if (field == std::string_view::npos) return std::string_view::npos;
  const auto length = std::strtoull(head.data() + field + name.size(), nullptr, 10);
  return bytes.size() < content + length ? std::string_view::npos : content + length;
}

}  // namespace

client::client(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  set_timeout(fd_, std::chrono::seconds(10));
  // Left to itself the kernel takes up to tcp_rmem's maximum, 32 MiB on some, for one who reads
  // nothing; a receiver that is told its size, before it connects, takes no more.
  const int receive_bytes = 1 << 18;
  ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    throw std::runtime_error("cannot connect to " + address);
}

client::~client() {
  if (fd_ >= 0) ::close(fd_);
}

bool client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto put = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

void client::half_close() {
  ::shutdown(fd_, SHUT_WR);
}

void client::reset() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(fd_);
  fd_ = -1;
}

bool client::fill() {
  std::array<char, 65536> buffer;
  const auto got = ::recv(fd_, buffer.data(), buffer.size(), 0);
  was_reset_ = got < 0 && errno == ECONNRESET;
  timed_out_ = got < 0 && errno == EAGAIN;
  if (got <= 0) return false;
  unread_.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

std::string client::answer(std::string_view method) {
  for (;;) {
    const auto end = end_of_answer(unread_, method);
    if (end != std::string::npos) {
      auto found = unread_.substr(0, end);
      unread_.erase(0, end);
      if (status_of(found) >= 200) return found;
    } else if (!fill()) {
      return {};
    }
  }
}

std::string client::ask(std::string_view bytes, std::string_view method) {
  return send(bytes) ? answer(method) : std::string{};
}

std::string client::rest(std::size_t limit) {
  while (unread_.size() < limit && fill()) {
  }
  return std::exchange(unread_, {});
}

bool client::ends_within(std::chrono::milliseconds time) {
  set_timeout(fd_, time);
  const bool ended = unread_.empty() && !fill() && !timed_out_;
  set_timeout(fd_, std::chrono::seconds(10));
  return ended;
}

int status_of(std::string_view answer) {
  constexpr std::string_view version = "HTTP/1.1 ";
  if (!answer.starts_with(version) || answer.size() < version.size() + 3) return 0;
  return std::atoi(std::string(answer.substr(version.size(), 3)).c_str());
}

std::string content_of(const std::string& answer) {
  const auto end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string{} : answer.substr(end + 4);
}

std::string get(std::string_view path, std::string_view more_fields) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n" + std::string(more_fields) +
         "\r\n";
}

}  // namespace bulkhead::tests
