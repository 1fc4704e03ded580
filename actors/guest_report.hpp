// What is known of guests, for whoever runs the server.
#pragma once

#include <string>

#include "actors/guest.hpp"

namespace bulkhead::actors {

// A JSON array with an object for each: path, file, how many requests ended in which outcome, the
// circuit's state, whether it can be had and why not, and the last faults, the latest first. From
// any thread.
std::string describe_guests(const guest_list& all);

std::string_view name_of(circuit_breaker::state now);

}  // namespace bulkhead::actors
