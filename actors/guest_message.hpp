// Requests and responses as guests see them: sandbox/BLOB.md.
#pragma once

#include <string>

#include "actors/request.hpp"
#include "protocol/response.hpp"
#include "sandbox/outcome.hpp"

namespace bulkhead::actors {

// Writes the request into `blob`, in place of what it held: `:method`, `:target`, `:peer`,
// `:scheme`, a `:parameter.NAME` for each parameter of the route, then all fields in order, their
// names in lower case. False: it has more than a blob can hold.
bool write_guest_request(std::string& blob, const request& from);

struct guest_answer {
  protocol::response response;
  std::string fault;  // why the guest's own could not be used; empty: it could
};

// Reads the answer out of an outcome of kind response. Content-Length is the server's to write and
// left out; any other field that a response may not have is a fault.
guest_answer read_guest_answer(const sandbox::outcome& how);

}  // namespace bulkhead::actors
