// Which certificate answers which name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tls/material.hpp"
#include "tls/ticket_keys.hpp"

namespace bulkhead::tls {

enum class unknown_names : std::uint8_t {
  get_default,  // the first host answers
  are_refused,  // fatal alert unrecognized_name, RFC 6066 section 3
};

// Constant and shared; any thread may read it. A reload or a rotation of ticket keys
// makes another one and leaves sessions that run with theirs.
class virtual_hosts {
 public:
  struct host {
    std::shared_ptr<const material> shown;
    std::size_t index;
    // Makes tickets with the first, takes those of all. RFC 5077 section 4.
    std::vector<host_ticket_key> tickets;
  };

  // At least one material, the first is the default. Of hosts with the same name the
  // first one has it.
  virtual_hosts(std::vector<std::shared_ptr<const material>> materials, const ticket_keys& keys,
                unknown_names rule = unknown_names::get_default);

  // The same hosts with other ticket keys.
  virtual_hosts with(const ticket_keys& keys) const;

  // For a name as the client asks for it: exact, then wildcard, then the rule for
  // unknown names. Without a name (empty): the default. Null: refused. To compare a
  // request's Host field with the connection's host (RFC 9110 section 7.4, status
  // 421) ask here too.
  const host* find(std::string_view name) const;

  const std::vector<host>& all() const { return hosts_; }
  // When the first certificate of all expires.
  std::chrono::system_clock::time_point expires() const;

 private:
  std::vector<host> hosts_;
  std::map<std::string, std::size_t, std::less<>> by_name_;  // "*.example.com" too
  unknown_names rule_;
};

}  // namespace bulkhead::tls
