// From the texts of config::listen to sockets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/config.hpp"
#include "actors/socket.hpp"
#include "actors/tls_service.hpp"
#include "actors/unix_socket.hpp"

namespace bulkhead::actors {

struct listener {
  std::vector<unique_fd> sockets;  // one a reactor
  std::string address;             // that is bound: "127.0.0.1:41873", "unix:/run/a.sock"
  socket_file file;                // of a unix socket that was bound here; to be kept until the end
};

// Listeners for HOST:PORT (a name: one for each of its addresses), unix:PATH and
// systemd (one for each socket that was passed to this process), each with
// `count` descriptors. Those of HOST:PORT are sockets that share the port; those
// of the others are duplicates of one socket, from whose queue all accept.
// Throws as listen_on, listen_on_unix and take_activated_sockets do; nothing is
// bound then, and sockets of systemd are closed.
std::vector<listener> listen_on(const std::vector<std::string>& texts, unsigned count);

// Everything that a server listens on, and its certificates. A process that forks servers
// opens it once and keeps it: what waits in the sockets' queues, the keys and the tickets
// then outlive each of them.
struct listening {
  std::vector<listener> service;
  std::vector<listener> secure;      // with TLS
  std::vector<listener> admin;       // one or none
  std::shared_ptr<tls_service> tls;  // null: `secure` is empty
};

// With a socket a reactor, for as many as the settings ask for. Throws as validate(),
// tls_service and listen_on() do; certificates are looked at before anything is bound.
listening open_listening(const config& settings);

}  // namespace bulkhead::actors
