#include "actors/request.hpp"

#include "actors/socket.hpp"

namespace bulkhead {

std::string_view request::parameter(std::string_view name) const {
  for (const auto& p : parameters_)
    if (p.name == name) return p.value;
  return {};
}

std::string_view request::rest_of_path() const {
  if (!parameters_.empty() && parameters_.back().is_rest) return parameters_.back().value;
  return path().substr(path().empty() ? 0 : 1);
}

std::string request::peer() const {
  return to_string(peer_);
}

std::optional<std::string_view> request::query_value(std::string_view name) const {
  auto rest = query();
  while (!rest.empty()) {
    const auto item = rest.substr(0, rest.find('&'));
    rest.remove_prefix(item.size() < rest.size() ? item.size() + 1 : item.size());
    const auto equals = item.find('=');
    if (item.substr(0, equals) != name) continue;
    return equals == std::string_view::npos ? std::string_view{} : item.substr(equals + 1);
  }
  return std::nullopt;
}

}  // namespace bulkhead
