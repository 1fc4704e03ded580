// Every kind of fault that a peer can do to a server, by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "faults/random.hpp"
#include "faults/scenario.hpp"
#include "faults/script.hpp"

namespace bulkhead::faults {

struct aim {
  std::string authority;  // for Host
  std::string hello;      // a TLS ClientHello; empty: the server has no HTTPS
};

struct fault_kind {
  std::string_view name;
  std::string_view about;
  script (*write)(random_source&, const fault&, const aim&);
  bool tls = false;
};

std::span<const fault_kind> fault_kinds();
// Null: there is none of that name.
const fault_kind* find_kind(std::string_view name);

// The script of one peer; a fault's own `expect` wins over the kind's.
script write_script(const fault& what, random_source& random, const aim& at);

}  // namespace bulkhead::faults
