// The practical limit of one thread: epoll, fixed answers, and as little else as a response needs.
//
// Not a server: it trusts its client. It takes every octet for what a correct client would mean by
// it, knows two fields (Connection: close and Content-Length, spelt like this), has no bounds, no
// deadlines and no routes, and dies of what it did not expect. What Bulkhead takes longer than this
// loop is the price of checking, of isolation and of its own faults; the rest is the kernel's.
//
//   bare_loop PORT     serves 127.0.0.1:PORT, 0 for a free one, and prints which
//
//   GET /small /hello  "Hello, world!"
//   GET /big           16 KiB
//   POST /echo         the content back
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

// ------------------------------------------------------------------- answers

constexpr std::size_t big_bytes = 16 * 1024;
constexpr std::string_view date_format = "%a, %d %b %Y %H:%M:%S GMT";
constexpr std::size_t date_bytes = 29;
constexpr std::string_view before_date = "HTTP/1.1 200 OK\r\nDate: ";
constexpr std::string_view text_type = "text/plain; charset=utf-8";
constexpr std::string_view bytes_type = "application/octet-stream";

// Everything of a response but its content, up to and with "Content-Length: ".
std::string begin_head(std::string_view type) {
  std::string head(before_date);
  head.append(date_bytes, ' ').append("\r\nContent-Type: ").append(type);
  return head.append("\r\nContent-Length: ");
}

struct answer {
  answer(std::string_view type, std::string_view content) {
    const auto head = begin_head(type) + std::to_string(content.size()) + "\r\n";
    (kept = head).append("\r\n").append(content);
    (closing = head).append("Connection: close\r\n\r\n").append(content);
  }

  std::string kept;
  std::string closing;
};

// All that can be answered, in wire form; only the date changes, once a second.
class answers {
 public:
  void refresh_date() {
    const auto now = std::time(nullptr);
    if (now == second_) return;
    second_ = now;
    std::array<char, date_bytes + 1> date{};
    std::strftime(date.data(), date.size(), date_format.data(), std::gmtime(&now));
    for (auto* text : {&small.kept, &small.closing, &big.kept, &big.closing, &echo_head})
      text->replace(before_date.size(), date_bytes, date.data(), date_bytes);
  }

  answer small{text_type, "Hello, world!"};
  answer big{bytes_type, std::string(big_bytes, 'x')};
  std::string echo_head = begin_head(bytes_type);

 private:
  std::time_t second_ = 0;
};

// ------------------------------------------------------------------ requests

struct request {
  std::string_view head;
  std::string_view content;
  bool closes = false;

  std::size_t size() const { return head.size() + content.size(); }
};

// The request at the beginning of the input if it is all there. Finds line feeds and looks at what
// follows them.
std::optional<request> scan(std::string_view input) {
  std::size_t content_bytes = 0;
  bool closes = false;
  for (auto lf = input.find('\n'); lf != input.npos; lf = input.find('\n', lf + 1)) {
    const auto line = input.substr(lf + 1);
    if (line.starts_with("\r\n")) {
      const auto content = line.substr(2);
      if (content.size() < content_bytes) break;
      return request{input.substr(0, lf + 3), content.substr(0, content_bytes), closes};
    }
    constexpr std::string_view length = "Content-Length: ";
    if (line.starts_with(length))
      std::from_chars(line.data() + length.size(), line.data() + line.size(), content_bytes);
    else if (line.starts_with("Connection: close"))
      closes = true;
  }
  return std::nullopt;
}

// The answers to what one read brought, for one write. A single one is not copied.
class batch {
 public:
  void clear() {
    only_ = {};
    joined_.clear();
  }
  void add(std::string_view whole) {
    if (view().empty())
      only_ = whole;
    else
      join().append(whole);
  }
  void add(std::string_view head, std::string_view content) {
    join().append(head).append(std::to_string(content.size())).append("\r\n\r\n").append(content);
  }
  std::string_view view() const { return joined_.empty() ? only_ : joined_; }

 private:
  std::string& join() {
    if (joined_.empty()) joined_.append(only_);
    return joined_;
  }

  std::string_view only_;
  std::string joined_;
};

// ---------------------------------------------------------------------- loop

struct connection {
  std::string unread;  // a request whose rest has not come
  std::string unsent;  // what the socket did not take
  bool closes = false;
};

class loop {
 public:
  explicit loop(int listener);
  [[noreturn]] void run();

 private:
  static constexpr std::size_t input_bytes = 128 * 1024;
  static constexpr std::size_t events_max = 512;

  void accept_all();
  void watch(int fd, std::uint32_t events);
  bool serve(int fd, bool peer_ended);
  bool exchange(int fd, connection& client, bool& may_read);
  void answer_all(std::string_view input, connection& client);
  void answer_one(const request& asked);
  static bool send_all(int fd, std::string_view bytes, std::string& unsent);
  bool close(int fd);

  int listener_;
  int epoll_fd_;
  answers answers_;
  batch output_;
  std::vector<char> input_ = std::vector<char>(input_bytes);
  std::vector<connection> connections_;  // by descriptor
};

loop::loop(int listener) : listener_(listener), epoll_fd_(::epoll_create1(0)) {
  if (epoll_fd_ < 0) die("epoll_create1");
  watch(listener_, EPOLLIN);
}

// Edge-triggered, in both directions at once, and never changed: with level-triggered events the
// kernel would ask each socket again after every batch.
void loop::run() {
  std::array<epoll_event, events_max> events;
  for (;;) {
    const int got = ::epoll_wait(epoll_fd_, events.data(), static_cast<int>(events.size()), -1);
    answers_.refresh_date();
    for (int i = 0; i < got; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == listener_)
        accept_all();
      else
        serve(event.data.fd, (event.events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
    }
  }
}

// A request that came with its connection is answered at once. When it was the only one, the
// connection is gone before epoll has heard of it.
void loop::accept_all() {
  int fd = 0;
  while ((fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK)) >= 0) {
    const auto index = static_cast<std::size_t>(fd);
    if (index >= connections_.size()) connections_.resize(2 * index);
    if (serve(fd, false)) watch(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  }
}

void loop::watch(int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl");
}

// Reads and answers until the socket has no more or takes no more. False: it is closed.
bool loop::serve(int fd, bool peer_ended) {
  auto& client = connections_[static_cast<std::size_t>(fd)];
  if (!send_all(fd, std::exchange(client.unsent, {}), client.unsent)) return true;
  bool may_read = true;
  while (may_read && !client.closes) {
    if (!exchange(fd, client, may_read)) return close(fd);
    if (!client.unsent.empty()) return true;
    may_read = may_read || peer_ended;
  }
  return !client.closes || close(fd);
}

// One read and one write. False: the peer is gone.
bool loop::exchange(int fd, connection& client, bool& may_read) {
  const auto kept = client.unread.size();
  if (kept + input_bytes > input_.size()) input_.resize(kept + input_bytes);
  std::copy(client.unread.begin(), client.unread.end(), input_.begin());
  const auto room = input_.size() - kept;
  const auto got = ::recv(fd, input_.data() + kept, room, 0);
  if (got <= 0) {
    may_read = false;
    return got < 0 && errno == EAGAIN;
  }
  // A short read has emptied the socket: what comes next makes a new edge.
  may_read = static_cast<std::size_t>(got) == room;
  answer_all({input_.data(), kept + static_cast<std::size_t>(got)}, client);
  send_all(fd, output_.view(), client.unsent);
  return true;
}

void loop::answer_all(std::string_view input, connection& client) {
  output_.clear();
  while (const auto asked = scan(input)) {
    answer_one(*asked);
    client.closes = asked->closes;
    input.remove_prefix(asked->size());
  }
  client.unread = input;
}

void loop::answer_one(const request& asked) {
  if (asked.head.front() == 'P') return output_.add(answers_.echo_head, asked.content);
  constexpr std::size_t after_slash = 5;
  const auto& chosen = asked.head[after_slash] == 'b' ? answers_.big : answers_.small;
  output_.add(asked.closes ? chosen.closing : chosen.kept);
}

// False: the rest is in `unsent` until the socket takes more.
bool loop::send_all(int fd, std::string_view bytes, std::string& unsent) {
  while (!bytes.empty()) {
    const auto put = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EAGAIN) {
      unsent = bytes;
      return false;
    }
    if (put < 0) return true;  // the next read says that the peer is gone
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

// False always: it is closed.
bool loop::close(int fd) {
  connections_[static_cast<std::size_t>(fd)] = {};
  ::close(fd);
  return false;
}

int listen_on(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Connections are handed over with their first request: one wake-up and no epoll_ctl for both.
  ::setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &on, sizeof on);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(port);
  socklen_t size = sizeof where;
  auto* address = reinterpret_cast<sockaddr*>(&where);
  if (::bind(fd, address, size) != 0) die("bind");
  if (::listen(fd, SOMAXCONN) != 0) die("listen");
  ::getsockname(fd, address, &size);
  std::printf("listening on http://127.0.0.1:%d\n", ntohs(where.sin_port));
  std::fflush(stdout);
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint16_t port = 0;
  const std::string_view text = argc == 2 ? argv[1] : "";
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || wrong != std::errc{} || end != text.data() + text.size()) {
    std::fputs("usage: bare_loop PORT\n", stderr);
    return 2;
  }
  loop(listen_on(port)).run();
}
