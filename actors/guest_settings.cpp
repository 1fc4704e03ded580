#include "actors/guest_settings.hpp"

#include <algorithm>

namespace bulkhead::actors {

namespace {

unsigned share_of(unsigned all, unsigned reactors) {
  return std::max(1u, (all + reactors - 1) / reactors);
}

// What all executors call by the same names.
void set_budgets(auto& made, const guest_handler& of) {
  made.file = of.file;
  made.wall_max = of.wall;
  made.cpu_max = of.cpu;
  made.memory_bytes_max = of.memory_bytes;
  made.request_bytes_max = static_cast<std::uint32_t>(of.request_bytes);
  made.response_bytes_max = static_cast<std::uint32_t>(of.response_bytes);
}

}  // namespace

guest_handler in_force(guest_handler of, const config& settings) {
  of.wall = std::min(of.wall, settings.deadlines.handler);
  of.cpu = std::min(of.cpu, settings.deadlines.handler);
  return of;
}

sandbox::handler_settings settings_for(const guest_handler& of, unsigned reactors) {
  sandbox::handler_settings made;
  set_budgets(made, of);
  made.workers = share_of(of.concurrency, reactors);
  made.spares = of.spares;
  // Requests whose clients have gone may still hold a worker each, so that ones that are let in
  // by the gate wait here.
  made.waiting_max = made.workers + of.queue;
  made.recycle_requests = of.recycle_requests;
  return made;
}

sandbox::inline_settings inline_settings_for(const guest_handler& of) {
  sandbox::inline_settings made;
  set_budgets(made, of);
  return made;
}

sandbox::wasm_settings module_settings_for(const guest_handler& of, const std::string& cache) {
  sandbox::wasm_settings made;
  set_budgets(made, of);
  made.cache = cache;
  made.instances_max = of.concurrency;
  made.idle_max = of.concurrency;
  return made;
}

sandbox::process_settings settings_for(const std::vector<std::string>& required_layers) {
  sandbox::process_settings made;
  for (const auto& name : required_layers) {
    sandbox::layer one;
    if (sandbox::parse(name, one)) made.require.add(one);
  }
  return made;
}

}  // namespace bulkhead::actors
