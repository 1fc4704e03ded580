#include "actors/runtime/system.hpp"

namespace bulkhead::actors {

runtime_system::settings::settings(scheduler_options options) {
  module_factories.emplace_back([options](caf::actor_system& sys) -> caf::actor_system::module* {
    return new scheduler(sys, options);
  });
  // CAF's defaults: at least four threads, and no bound on messages a resume.
  set("scheduler.max-threads", static_cast<std::size_t>(options.reactors));
  set("scheduler.max-throughput", std::size_t{64});
}

runtime_system::runtime_system(scheduler_options options)
    : settings_(options), system_(settings_) {}

}  // namespace bulkhead::actors
