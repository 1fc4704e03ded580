#include "tls/virtual_hosts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tls/server_name.hpp"

namespace bulkhead::tls {
namespace {

std::vector<host_ticket_key> tickets_of(const material& shown, const ticket_keys& keys) {
  std::vector<host_ticket_key> tickets;
  tickets.emplace_back(keys.current(), shown.binding());
  if (keys.previous()) tickets.emplace_back(*keys.previous(), shown.binding());
  return tickets;
}

}  // namespace

virtual_hosts::virtual_hosts(std::vector<std::shared_ptr<const material>> materials,
                             const ticket_keys& keys, unknown_names rule)
    : rule_(rule) {
  if (materials.empty()) throw std::invalid_argument("TLS needs at least one certificate");
  for (auto& one : materials) {
    const auto index = hosts_.size();
    for (const auto& name : one->names()) by_name_.emplace(name, index);
    auto tickets = tickets_of(*one, keys);
    hosts_.push_back({std::move(one), index, std::move(tickets)});
  }
}

virtual_hosts virtual_hosts::with(const ticket_keys& keys) const {
  auto changed = *this;
  for (auto& one : changed.hosts_) one.tickets = tickets_of(*one.shown, keys);
  return changed;
}

const virtual_hosts::host* virtual_hosts::find(std::string_view name) const {
  if (name.empty()) return &hosts_.front();
  const auto normal = normal_server_name(name);
  auto found = by_name_.find(normal);
  if (found == by_name_.end() && normal.find('.') != normal.npos)
    found = by_name_.find("*" + normal.substr(normal.find('.')));
  if (found != by_name_.end()) return &hosts_[found->second];
  return rule_ == unknown_names::get_default ? &hosts_.front() : nullptr;
}

std::chrono::system_clock::time_point virtual_hosts::expires() const {
  auto first = std::chrono::system_clock::time_point::max();
  for (const auto& one : hosts_) first = std::min(first, one.shown->expires());
  return first;
}

}  // namespace bulkhead::tls
