// What the engine and OpenSSL's callbacks know of one session.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tls/configurations.hpp"
#include "tls/error.hpp"
#include "tls/host_copy.hpp"
#include "tls/virtual_hosts.hpp"

namespace bulkhead::tls {

// A member of the engine, reached through the session's app data.
struct session_state {
  std::shared_ptr<configurations> pool;
  const virtual_hosts::host* host = nullptr;  // of the pool; known after the ClientHello
  std::unique_ptr<host_copy> copy;            // during the handshake only
  std::string server_name;                    // as asked for, normal; may be empty
  failure refused = failure::none;            // the reason for which a callback stopped it
  bool open = false;                          // the handshake is complete
  unsigned control_records = 0;               // since the last byte of data

  static session_state& of(const SSL* session) {
    return *static_cast<session_state*>(SSL_get_app_data(session));
  }
};

}  // namespace bulkhead::tls
