// Counts what operator new was asked for in this thread since the program began.
#pragma once

#include <cstddef>

namespace bulkhead::protocol::test {

std::size_t allocations();

}  // namespace bulkhead::protocol::test
