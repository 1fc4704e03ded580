#include "actors/reload.hpp"

namespace bulkhead::actors {

std::vector<std::string> keep_for_now(const config& current, config& next) {
  std::vector<std::string> names;
  const auto keep = [&](const auto& value, auto& wanted, const char* name) {
    if (wanted == value) return;
    wanted = value;
    names.emplace_back(name);
  };
  keep(current.listen, next.listen, "listen");
  keep(current.tls_listen, next.tls_listen, "tls_listen");
  keep(current.threads, next.threads, "threads");
  keep(current.spare_threads_max, next.spare_threads_max, "spare_threads_max");
  keep(current.access_log, next.access_log, "access_log");
  keep(current.access_log_format, next.access_log_format, "access_log_format");
  keep(current.admin_listen, next.admin_listen, "admin_listen");
  keep(current.root, next.root, "root");
  keep(current.sandbox_require, next.sandbox_require, "sandbox.require");
  // Workspaces are made for so many fields and outlive connections.
  keep(current.limits.fields_max, next.limits.fields_max, "limits.fields_max");
  return names;
}

}  // namespace bulkhead::actors
