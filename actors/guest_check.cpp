#include "actors/guest_check.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>

#include "actors/describe.hpp"
#include "actors/guest.hpp"
#include "actors/guest_settings.hpp"

namespace bulkhead::actors {

namespace {

using steady = std::chrono::steady_clock;

class polled_set final : public sandbox::watcher {
 public:
  void watch(int fd) override { all_.push_back({fd, POLLIN, 0}); }
  void forget(int fd) override {
    std::erase_if(all_, [fd](const pollfd& one) { return one.fd == fd; });
  }

  // Waits for one, and gives all that are ready.
  std::vector<int> ready(std::chrono::milliseconds time) {
    std::vector<int> found;
    ::poll(all_.data(), all_.size(), static_cast<int>(time.count()));
    for (const auto& one : all_)
      if (one.revents != 0) found.push_back(one.fd);
    return found;
  }

 private:
  std::vector<pollfd> all_;
};

// Why it does not load; empty: it does.
std::string load(sandbox::process_executor& in, polled_set& descriptors,
                 const guest_handler& which) {
  auto settings = settings_for(which, 1);
  settings.workers = 1;
  settings.spares = 0;
  const auto added = in.add(settings, steady::now());
  if (added.value == 0) return added.error;
  std::string failure;
  for (const auto end = steady::now() + 2 * settings.load_max; steady::now() < end;) {
    const auto now = in.count(added.value);
    failure = now.load_failure;
    if (now.idle > 0 || !failure.empty()) break;
    for (const int fd : descriptors.ready(std::chrono::milliseconds(10)))
      in.on_readable(fd, steady::now());
    if (in.next_time() <= steady::now()) in.on_time(steady::now());
  }
  in.remove(added.value, steady::now());
  return failure;
}

}  // namespace

std::vector<std::string> check_guests(const config& settings) {
  if (settings.handlers.empty()) return {};
  polled_set descriptors;
  auto made = sandbox::process_executor::start(settings_for(settings.sandbox_require), descriptors);
  if (!made.value) return {"sandbox: " + made.error};
  std::vector<std::string> faults;
  for (const auto& each : settings.handlers) {
    const auto why = each.run == "wasm" ? guest(each).load(settings.wasm_cache)
                                        : load(*made.value, descriptors, each);
    if (!why.empty()) faults.push_back("handler '" + each.path + "': " + one_line(why));
  }
  return faults;
}

std::vector<std::string> remarks_on_guests(const config& settings) {
  std::vector<std::string> remarks;
  for (const auto& each : settings.handlers) {
    const auto held = in_force(each, settings);
    const auto compare = [&](const char* name, auto wanted, auto is) {
      if (wanted == is) return;
      remarks.push_back(
          "handler '" + each.path + "': " + name + " = " + std::to_string(wanted.count()) +
          " is more than deadlines.handler_ms = " + std::to_string(is.count()) + ", which holds");
    };
    compare("wall_ms", each.wall, held.wall);
    compare("cpu_ms", each.cpu, held.cpu);
  }
  return remarks;
}

}  // namespace bulkhead::actors
