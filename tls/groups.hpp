// The groups for key exchange, in the order of preference.
#pragma once

#include <string_view>

namespace bulkhead::tls {

constexpr std::string_view group_list = "x25519:secp256r1:secp384r1";

// Whether the group of that name is one of them.
constexpr bool is_group_used(std::string_view name) {
  for (auto rest = group_list;;) {
    const auto end = rest.find(':');
    if (rest.substr(0, end) == name) return true;
    if (end == rest.npos) return false;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace bulkhead::tls
