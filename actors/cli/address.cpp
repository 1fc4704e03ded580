#include "actors/cli/address.hpp"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>

#include "actors/cli/printable.hpp"
#include "actors/cli/whole_number.hpp"

namespace bulkhead::cli {
namespace {

constexpr std::size_t path_bytes_max = sizeof(sockaddr_un::sun_path) - 1;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

// Digits and dots alone are an IPv4 address in full, never a name and never a short form.
bool is_host(const std::string& host) {
  in6_addr parsed{};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    return ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &parsed) == 1;
  if (host.find_first_not_of("0123456789.") == std::string::npos)
    return ::inet_pton(AF_INET, host.c_str(), &parsed) == 1;
  return std::all_of(host.begin(), host.end(), is_name_character);
}

bool is_host_and_port(std::string_view text) {
  const auto colon = text.rfind(':');
  return colon != std::string_view::npos && is_host(std::string(text.substr(0, colon))) &&
         whole_number(text.substr(colon + 1), {0, 65535});
}

std::optional<std::string> path_fault(std::string_view path) {
  if (path.empty()) return "names no path";
  if (path.size() > path_bytes_max)
    return "has a path of " + std::to_string(path.size()) + " bytes; a socket's has at most " +
           std::to_string(path_bytes_max);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> address_fault(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), is_control))
    return "an address may not hold control characters";
  const auto quoted = "'" + std::string(text) + "' ";
  if (text == "systemd") return std::nullopt;
  if (text.starts_with(unix_prefix)) {
    const auto fault = path_fault(text.substr(unix_prefix.size()));
    return fault ? std::optional(quoted + *fault) : std::nullopt;
  }
  if (is_host_and_port(text)) return std::nullopt;
  return quoted + "is not like 127.0.0.1:8080, [::1]:8080, localhost:8080, unix:PATH or systemd";
}

}  // namespace bulkhead::cli
