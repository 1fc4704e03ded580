// The protocol without its runtime: blocking sockets, and a thread for each connection.
//
//   ./threads 127.0.0.1:8080
//   curl --data 'echo me' http://127.0.0.1:8080/
//
// To read, not to run in the open: nothing here has a deadline.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>

#include "protocol/date.hpp"
#include "protocol/server_connection.hpp"

using namespace bulkhead::protocol;

namespace {

const limits bounds;

// Takes one event from the input. The views of a head point into it, but respond() needs none.
event_kind advance(server_connection& connection, request_head& head, std::string& in,
                   std::string& content, std::string& out) {
  const auto date = format_date(std::time(nullptr));
  const std::string_view now(date.data(), date.size());
  const event found = connection.next(in, head);
  if (found.kind == event_kind::head) connection.write_continue(out);
  if (found.kind == event_kind::content) content += found.content;
  if (found.kind == event_kind::end) {
    connection.respond(head, response::text(content), now, out);
    content.clear();
  }
  if (found.kind == event_kind::refused) connection.write_refusal(now, out);
  in.erase(0, found.consumed);
  return found.kind;
}

bool send_all(int socket, std::string& out) {
  while (!out.empty()) {
    const auto sent = ::send(socket, out.data(), out.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    out.erase(0, static_cast<std::size_t>(sent));
  }
  return true;
}

void serve(int socket) {
  server_connection connection(bounds);
  request_head head(bounds.fields_max);
  std::string in, content, out;
  std::array<char, 16 * 1024> room{};
  while (!connection.must_close()) {
    const bool waits = advance(connection, head, in, content, out) == event_kind::need_more;
    if (!send_all(socket, out)) break;
    if (!waits || connection.must_close()) continue;
    const auto got = ::recv(socket, room.data(), room.size(), 0);
    if (got > 0)
      in.append(room.data(), static_cast<std::size_t>(got));
    else
      connection.end_of_stream();
  }
  ::close(socket);
}

int listen_on(const std::string& address) {
  const auto colon = address.find(':');
  sockaddr_in bound{};
  bound.sin_family = AF_INET;
  bound.sin_port = htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1)));
  ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &bound.sin_addr);
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::bind(listener, reinterpret_cast<const sockaddr*>(&bound), sizeof bound);
  ::listen(listener, SOMAXCONN);
  return listener;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGTERM, [](int) { ::_exit(0); });
  const int listener = listen_on(argc > 1 ? argv[1] : "127.0.0.1:8080");
  for (int socket = 0; (socket = ::accept(listener, nullptr, nullptr)) >= 0;)
    std::thread(serve, socket).detach();
  return 1;
}
