// Bulkhead's protocol and TLS without actors and without isolation: what those two cost is the
// ratio of this server to ours.
//
// One thread a CPU, each an epoll loop with listeners of its own on the shared ports. Requests are
// parsed, checked and refused by the same code, and the answers are the same; but handlers run in
// the loop, unguarded, there are no deadlines, no admission, no metrics, no log, and one TLS
// configuration serves all sessions.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "bench/worker_server/worker.hpp"

namespace {

using bulkhead::worker::shared_tls;
using bulkhead::worker::worker;

struct options {
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  std::string listen = "127.0.0.1:0";
  std::string tls_listen;
  std::string certificate;
  std::string key;
};

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in address_of(const std::string& text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  const auto colon = text.rfind(':');
  unsigned port = 0;
  if (colon == std::string::npos ||
      ::inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.sin_addr) != 1 ||
      !CLI::detail::lexical_cast(text.substr(colon + 1), port) || port > 65535)
    throw std::invalid_argument("'" + text + "' is not like 127.0.0.1:8080");
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int listen_on(sockaddr_in& address, const std::string& text) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  // Connections are handed over with their first request, as ours are.
  constexpr std::pair<int, int> wanted[]{{SOL_SOCKET, SO_REUSEADDR},
                                         {SOL_SOCKET, SO_REUSEPORT},
                                         {IPPROTO_TCP, TCP_NODELAY},
                                         {IPPROTO_TCP, TCP_DEFER_ACCEPT}};
  for (const auto& [level, name] : wanted)
    if (::setsockopt(fd, level, name, &on, sizeof on) != 0) fail(text);
  socklen_t size = sizeof address;
  auto* where = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd, where, size) != 0 || ::listen(fd, SOMAXCONN) != 0 ||
      ::getsockname(fd, where, &size) != 0)
    fail(text);
  return fd;
}

using listeners_by_thread = std::vector<std::vector<worker::listener>>;

// The same port for all threads, also when the system chooses it.
void add_listeners(listeners_by_thread& to, const std::string& text, const shared_tls* tls) {
  auto address = address_of(text);
  for (auto& of_thread : to) of_thread.push_back({listen_on(address, text), tls});
  std::cout << "listening on " << (tls ? "https" : "http") << "://"
            << text.substr(0, text.rfind(':')) << ':' << ntohs(address.sin_port) << std::endl;
}

void serve(const options& wanted) {
  std::optional<shared_tls> tls;
  if (!wanted.tls_listen.empty()) tls.emplace(wanted.certificate, wanted.key);
  sigset_t ends;
  ::sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT}) ::sigaddset(&ends, signal);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  const int stop = ::eventfd(0, EFD_CLOEXEC);
  if (stop < 0) fail("eventfd");
  listeners_by_thread listeners(wanted.threads);
  add_listeners(listeners, wanted.listen, nullptr);
  if (tls) add_listeners(listeners, wanted.tls_listen, &*tls);
  std::vector<std::thread> threads;
  for (const auto& of_thread : listeners)
    threads.emplace_back([&of_thread, stop] { worker(of_thread).run(stop); });
  int signal = 0;
  ::sigwait(&ends, &signal);
  const std::uint64_t now = 1;
  if (::write(stop, &now, sizeof now) != sizeof now) fail("eventfd");
  for (auto& each : threads) each.join();
}

}  // namespace

int main(int count, char** arguments) try {
  options wanted;
  CLI::App app("The protocol and TLS of Bulkhead without actors and isolation", "worker_server");
  app.add_option("--threads", wanted.threads, "Event loops")->check(CLI::Range(1u, 256u));
  app.add_option("--listen", wanted.listen, "ADDRESS:PORT, IPv4; port 0: the system chooses");
  auto* secure = app.add_option("--tls-listen", wanted.tls_listen, "The same for HTTPS");
  auto* certificate = app.add_option("--cert", wanted.certificate, "PEM file: certificates");
  auto* key = app.add_option("--key", wanted.key, "PEM file: the key");
  secure->needs(certificate)->needs(key);
  CLI11_PARSE(app, count, arguments);
  serve(wanted);
  return 0;
} catch (const std::exception& wrong) {
  std::cerr << "worker_server: " << wrong.what() << '\n';
  return 1;
}
