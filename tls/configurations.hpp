// Where sessions get their configuration from, and where it goes.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "tls/host_copy.hpp"
#include "tls/openssl.hpp"
#include "tls/virtual_hosts.hpp"

namespace bulkhead::tls {

// An exclusive lease: never do two live sessions have one configuration. What a
// session without a fault gives back goes to the next one; everything else is
// destroyed by its owner. Shared by the sessions and whoever starts them; after a
// reload new sessions take theirs from a new one. Any thread may call.
class configurations {
 public:
  // About 6 KiB each.
  static constexpr std::size_t spare_contexts_max = 64;
  // About 6 KiB each with one certificate; a handshake holds one for its duration.
  static constexpr std::size_t spare_copies_max = 16;

  explicit configurations(std::shared_ptr<const virtual_hosts> hosts);

  const virtual_hosts& hosts() const { return *hosts_; }

  // A spare or a new one. Throws std::bad_alloc.
  ssl_ctx_ptr context();
  std::unique_ptr<host_copy> copy_of(const virtual_hosts::host& host);

  // Of a session that ended, of a handshake that succeeded; there must be no other
  // reference to it.
  void give_back(ssl_ctx_ptr context) noexcept;
  void give_back(const virtual_hosts::host& host, std::unique_ptr<host_copy> copy) noexcept;

  struct spares {
    std::size_t contexts;
    std::size_t copies;
  };
  spares held() const;

 private:
  const std::shared_ptr<const virtual_hosts> hosts_;
  mutable std::mutex lock_;
  std::vector<ssl_ctx_ptr> contexts_;
  std::vector<std::vector<std::unique_ptr<host_copy>>> copies_;  // by the host's index
};

}  // namespace bulkhead::tls
