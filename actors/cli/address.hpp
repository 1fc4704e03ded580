#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bulkhead::cli {

// What the address of a unix socket begins with.
constexpr std::string_view unix_prefix = "unix:";

// What is wrong with a text as an address to listen on, or nothing. Looks no name up and opens no
// socket: only starting to listen tells whether the system agrees.
std::optional<std::string> address_fault(std::string_view text);

}  // namespace bulkhead::cli
