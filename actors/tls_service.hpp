// What TLS sessions are made from, as the settings name it: loaded, replaced by a
// reload, and with ticket keys that change.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

#include "actors/config.hpp"
#include "tls/configurations.hpp"
#include "tls/ticket_keys.hpp"
#include "tls/virtual_hosts.hpp"

namespace bulkhead::actors {

class tls_service {
 public:
  // Reads the files. Throws std::invalid_argument that names the file and the reason,
  // and no secret.
  explicit tls_service(const config& settings);

  // Throws as the constructor does; makes no file.
  static void check(const config& settings);

  // For a session that begins now; live sessions keep theirs. Any thread.
  std::shared_ptr<tls::configurations> current();

  // The files are read again; throws as the constructor does, and what was stays. The
  // ticket keys stay too, so that clients may resume. Any thread.
  void reload(const config& settings);

 private:
  using hosts_ptr = std::shared_ptr<const tls::virtual_hosts>;

  // A ticket lives two hours, and that of the keys before the current ones is taken.
  static constexpr std::chrono::hours keys_lifetime{3};

  std::mutex mutex_;
  tls::ticket_keys keys_ = tls::ticket_keys::generate();
  std::chrono::steady_clock::time_point keys_made_ = std::chrono::steady_clock::now();
  hosts_ptr hosts_;
  std::shared_ptr<tls::configurations> configurations_;
};

}  // namespace bulkhead::actors
