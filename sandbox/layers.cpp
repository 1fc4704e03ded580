#include "sandbox/layers.hpp"

#include <array>

namespace bulkhead::sandbox {
namespace {

constexpr std::array<std::string_view, layers_count> names{
    "user_namespace", "own_user", "own_root", "network_namespace", "ipc_namespace", "uts_namespace",
    "pid_namespace",  "landlock", "seccomp"};

}  // namespace

std::string_view to_string(layer one) {
  return names[static_cast<std::size_t>(one)];
}

bool parse(std::string_view name, layer& one) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) {
      one = static_cast<layer>(i);
      return true;
    }
  return false;
}

std::string to_string(layers some) {
  std::string text;
  for (unsigned i = 0; i < layers_count; ++i) {
    const auto one = static_cast<layer>(i);
    if (!some.has(one)) continue;
    if (!text.empty()) text += ", ";
    text += to_string(one);
  }
  return text.empty() ? "none" : text;
}

}  // namespace bulkhead::sandbox
