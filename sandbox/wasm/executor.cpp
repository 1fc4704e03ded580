#include "sandbox/wasm/executor.hpp"

#include <system_error>
#include <utility>

#include "sandbox/returned.hpp"
#include "sandbox/wasm/threads.hpp"
#include "sandbox/wasm/translate.hpp"

namespace bulkhead::sandbox {
namespace {

constexpr std::uint64_t address_bytes = std::uint64_t{65535} * wasm_page_bytes;

std::string check(const wasm_settings& all) {
  const auto rooms = std::uint64_t{all.request_bytes_max} + all.response_bytes_max;
  if (all.response_bytes_max > INT32_MAX || all.request_bytes_max > INT32_MAX ||
      all.memory_bytes_max > address_bytes ||
      all.memory_bytes_max + rooms + 2 * wasm_page_bytes > address_bytes)
    return "memory_bytes_max, request_bytes_max and response_bytes_max together are above 4 GiB";
  if (all.stack_bytes_max < 16u << 10 || all.stack_bytes_max > 1u << 30)
    return "stack_bytes_max is below 16 KiB or above 1 GiB";
  if (all.instances_max == 0) return "instances_max is 0";
  return {};
}

returned landed(const wasm_module& code, const wasm_instance& from, landing how,
                const wasm_frame& frame, const wasm_watch& watch) {
  outcome one;
  one.detail = code.describe(how, frame);
  one.site = code.site_of(how, frame);
  one.kind = outcome_kind::trap;
  if (how == landing::deadline) {
    one.kind = outcome_kind::deadline;
    one.budget = watch.budget();
    one.cpu = watch.cpu();
  } else if (how == landing::left) {
    one.exit_code = static_cast<int>(frame.code);
  } else if (how == landing::trap && frame.code == wasm_trap_unreachable &&
             from.was_growth_refused()) {
    // What operator new and the like make of it.
    one.kind = outcome_kind::out_of_memory;
  }
  return {std::move(one), false};
}

}  // namespace

wasm_executor::wasm_executor(wasm_settings settings, std::shared_ptr<void> watchdog,
                             std::shared_ptr<const wasm_module> code)
    : settings_(std::move(settings)), watchdog_(std::move(watchdog)), module_(std::move(code)) {}

wasm_executor::loaded wasm_executor::load(const wasm_settings& settings) {
  if (auto wrong = check(settings); !wrong.empty()) return {nullptr, settings.file + ": " + wrong};
  auto made = translate({settings.file, settings.cache, settings.translate_max});
  if (!made.error.empty()) return {nullptr, made.error};
  std::shared_ptr<void> watchdog;
  try {
    watchdog = hold_watchdog();
  } catch (const std::system_error& why) {
    return {nullptr, settings.file + ": " + why.what()};
  }
  auto code = wasm_module::load(std::move(made.code), settings);
  if (!code.value) return {nullptr, settings.file + ": " + code.error};
  return {std::unique_ptr<wasm_executor>(
              new wasm_executor(settings, std::move(watchdog), std::move(code.value))),
          {}};
}

std::unique_ptr<wasm_instance> wasm_executor::take() {
  {
    const std::lock_guard guard(mutex_);
    if (busy_ >= settings_.instances_max) return nullptr;
    ++busy_;
    if (!idle_.empty()) {
      auto one = std::move(idle_.back());
      idle_.pop_back();
      return one;
    }
  }
  auto made = wasm_instance::make(*module_, settings_);
  if (made && !made->reset(module_->image())) made.reset();
  if (!made) give_back(made);
  return made;
}

// What is not kept is destroyed without the lock.
void wasm_executor::give_back(std::unique_ptr<wasm_instance>& one) {
  const std::lock_guard guard(mutex_);
  --busy_;
  if (one && idle_.size() < settings_.idle_max) idle_.push_back(std::move(one));
}

// An instance, for as long as a call takes; it goes back only when it is fit for another one.
struct wasm_executor::lease {
  explicit lease(wasm_executor& from) : owner(from), instance(from.take()), is_there(instance) {}
  ~lease() {
    if (!is_fit) instance.reset();
    if (is_there) owner.give_back(instance);
  }
  lease(const lease&) = delete;
  lease& operator=(const lease&) = delete;

  wasm_executor& owner;
  std::unique_ptr<wasm_instance> instance;
  const bool is_there;
  bool is_fit = false;
};

outcome wasm_executor::call(std::string_view blob, time_point now) {
  if (blob.size() > settings_.request_bytes_max)
    return returned::as(outcome_kind::overloaded, "the request is larger than the handler takes",
                        true)
        .result;
  lease held(*this);
  if (!held.instance)
    return returned::as(outcome_kind::overloaded, "no instance is free", true).result;
  bool goes_on = false;
  auto result = run(*held.instance, blob, now, goes_on);
  held.is_fit = goes_on && make_fit(*held.instance, result.kind);
  served_.fetch_add(1, std::memory_order_relaxed);
  if (!goes_on) faults_.fetch_add(1, std::memory_order_relaxed);
  result.wall = std::chrono::steady_clock::now() - now;
  return result;
}

outcome wasm_executor::run(wasm_instance& one, std::string_view blob, time_point now,
                           bool& goes_on) const {
  wasm_frame frame;
  const wasm_watch watch(
      {now + settings_.wall_max, settings_.cpu_max, module_->code().uses_cpu_left != 0, this});
  // Behind the watch: who is not seen by end() sees this.
  if (is_ending_.load()) {
    goes_on = true;
    return returned::as(outcome_kind::overloaded, "the server ends", true).result;
  }
  const wasm_top top(frame);
  const auto how = one.call(frame, blob);
  auto said =
      how == landing::none
          ? outcome_of(static_cast<std::int32_t>(frame.result), settings_.response_bytes_max,
                       [&](std::uint32_t bytes) { return one.response(bytes); })
          : landed(*module_, one, how, frame, watch);
  goes_on = said.goes_on;
  said.result.log = one.log();
  return std::move(said.result);
}

void wasm_executor::end() {
  is_ending_.store(true);
  wasm_watch::cut(this);
}

bool wasm_executor::make_fit(wasm_instance& one, outcome_kind after) const {
  ++one.requests;
  if (settings_.reset_requests != 1)
    return settings_.reset_requests == 0 || one.requests < settings_.reset_requests;
  // Only of an answer it is known what it left in the room.
  return after == outcome_kind::response && one.reset(module_->image());
}

wasm_executor::counts wasm_executor::count() const {
  const std::lock_guard guard(mutex_);
  return {idle_.size(), busy_, served_.load(), faults_.load()};
}

}  // namespace bulkhead::sandbox
