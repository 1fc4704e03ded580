#pragma once

#include <exception>
#include <string>

namespace bulkhead::actors {

// What an exception says, on one line.
std::string describe(const std::exception_ptr& thrown);

}  // namespace bulkhead::actors
