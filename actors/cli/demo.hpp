#pragma once

#include "actors/server.hpp"

namespace bulkhead::cli {

// The handlers of `bulkhead serve`: something to ask, to measure, and to break on purpose.
void add_demo(server& to);

}  // namespace bulkhead::cli
