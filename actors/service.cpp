#include "actors/service.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "actors/guest_settings.hpp"

namespace bulkhead::actors {

void service::replace_settings(config next) {
  const std::lock_guard guard(mutex_);
  generations_.push_back(std::make_unique<const config>(std::move(next)));
  settings_.store(generations_.back().get(), std::memory_order_release);
}

service::held_guests service::table_for(const config& settings, const guest_list& known,
                                        bool without_failed) {
  auto table = std::make_shared<guest_table>();
  for (const auto& given : settings.handlers) {
    const auto each = in_force(given, settings);
    const auto identity = identity_of(each.file);
    const auto same = std::ranges::find_if(known, [&](const auto& one) {
      return one->settings() == each && one->identity() == identity;
    });
    table->all.push_back(same != known.end() ? *same : std::make_shared<guest>(each));
    if (const auto fault = table->all.back()->load(settings.wasm_cache); !fault.empty()) {
      const auto what = "handler '" + each.path + "': " + fault;
      if (!without_failed) throw std::invalid_argument(what);
      spdlog::error("{}; requests are answered 503 until a reload finds it", what);
    }
    const std::vector<std::string_view> methods(each.methods.begin(), each.methods.end());
    route_target target;
    target.guest = table->all.back();
    table->routes.add(methods, each.path, target);
  }
  return table;
}

void service::replace_guests(held_guests next) {
  {
    const std::lock_guard guard(mutex_);
    std::erase_if(replaced_, [](const auto& each) { return each.expired(); });
    replaced_.push_back(guests_);
    guests_.swap(next);
    guests_now_.store(guests_.get(), std::memory_order_release);
  }
  // Perhaps nobody else held those before: they go without the lock.
}

service::held_guests service::guests() const {
  const std::lock_guard guard(mutex_);
  return guests_;
}

std::vector<service::held_guests> service::living_guests() {
  const std::lock_guard guard(mutex_);
  std::vector<held_guests> all{guests_};
  for (const auto& each : replaced_)
    if (auto held = each.lock()) all.push_back(std::move(held));
  return all;
}

router::match service::find_route(const guest_table& handlers, const protocol::request_head& head,
                                  path_parameters& parameters) const {
  if (handlers.all.empty()) return routes.find(head, parameters);
  const auto theirs = handlers.routes.find(head, parameters);
  if (theirs.target) return theirs;
  parameters = {};
  const auto ours = routes.find(head, parameters);
  // A path that only they have, with another method.
  return ours.result == router::outcome::not_found ? theirs : ours;
}

session_slot::session_slot(service& shared) : shared_(&shared) {
  if (shared.sessions.fetch_add(1, std::memory_order_relaxed) < shared.settings().sessions_max)
    return;
  shared.sessions.fetch_sub(1, std::memory_order_relaxed);
  shared_ = nullptr;
}

void session_slot::give_back() {
  if (shared_) shared_->sessions.fetch_sub(1, std::memory_order_relaxed);
  shared_ = nullptr;
}

}  // namespace bulkhead::actors
