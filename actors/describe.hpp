#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace bulkhead::actors {

// The text with spaces for control characters, and \xXX for each octet beyond ASCII.
std::string one_line(std::string_view text);

// "SIGSEGV"; of one that has no name "signal 64".
std::string signal_name(int number);

// What an exception says, on one line.
std::string describe(const std::exception_ptr& thrown);

}  // namespace bulkhead::actors
