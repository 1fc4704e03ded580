#include "sandbox/process/executor.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sandbox/blob.hpp"

namespace bulkhead::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr auto hello_max = 10s;
constexpr std::chrono::nanoseconds zygote_retry_after = 1s;

// What is wrong with the settings; empty: nothing.
std::string wrong_in(const handler_settings& all) {
  if (all.workers < 1 || all.workers > 256) return "workers is not in 1 to 256";
  if (all.spares > 256) return "spares is above 256";
  if (all.request_bytes_max > blob_bounds::blob_bytes_max ||
      all.response_bytes_max > blob_bounds::blob_bytes_max ||
      all.log_bytes_max > blob_bounds::blob_bytes_max)
    return "request, response and log are above 1 GiB";
  if (all.wall_max <= 0ns || all.cpu_max <= 0ns || all.load_max <= 0ns)
    return "a deadline is not above 0";
  if (all.stack_bytes_max < 64 * 1024) return "stack_bytes_max is below 64 KiB";
  return {};
}

}  // namespace

// --- the zygote

process_executor::started process_executor::start(process_settings settings, watcher& descriptors) {
  std::unique_ptr<process_executor> made(new process_executor(std::move(settings), descriptors));
  auto error = made->zygote_.start(made->settings_);
  if (error.empty()) error = made->first_hello();
  if (!error.empty()) return {nullptr, std::move(error)};
  descriptors.watch(made->zygote_.fd());
  return {std::move(made), {}};
}

std::string process_executor::first_hello() {
  zygote::received first;
  if (zygote_.receive(first, hello_max) != zygote::receipt::one) {
    zygote_.stop();
    return "the zygote ended or hangs before its first word";
  }
  held_ = layers::of_bits(first.what.layers);
  return check(held_);
}

std::string process_executor::check(layers held) const {
  const auto lacking = settings_.require.without(held);
  return lacking.empty() ? std::string() : "required and not to be had: " + to_string(lacking);
}

void process_executor::on_control(time_point now) {
  zygote::received one;
  for (;;) switch (zygote_.receive(one)) {
      case zygote::receipt::one:
        on_report(one, now);
        break;
      case zygote::receipt::nothing_now:
        return;
      case zygote::receipt::ended:
        return restart_zygote(now);
    }
}

void process_executor::on_report(zygote::received& one, time_point now) {
  if (one.what.kind == wire::report_kind::hello) {
    held_ = layers::of_bits(one.what.layers);
    // It was started anew, and the system gives less than before.
    if (!check(held_).empty()) restart_zygote(now);
    return;
  }
  const bool is_born = one.what.kind == wire::report_kind::spawned;
  const std::string error =
      is_born ? std::string() : std::string("the zygote: ") + std::strerror(one.what.error);
  const pid_t pid = is_born ? one.what.pid : -1;
  bool is_known = false;
  each_pool([&](pool& any) {
    is_known = is_known || any.on_report(one.what.serial, pid, one.pidfd, error, now);
  });
}

// What it was told and did not report is lost; workers that are there go on.
void process_executor::restart_zygote(time_point now) {
  if (zygote_.runs()) descriptors_.forget(zygote_.fd());
  zygote_.stop();
  // Orders get another try only when the next one runs.
  zygote_retry_at_ = now + zygote_retry_after;
  each_pool([&](pool& any) { any.on_zygote_end(now); });
}

// --- handlers

process_executor::added process_executor::add(handler_settings settings, time_point now) {
  if (auto wrong = wrong_in(settings); !wrong.empty()) return {0, std::move(wrong)};
  auto code = object::load(settings.file);
  if (!code.value) return {0, std::move(code.error)};
  const auto id = ++last_handler_;
  auto& made = pools_[id];
  made = std::make_unique<pool>(std::move(settings), std::move(code.value),
                                static_cast<pool_host&>(*this));
  made->on_time(now);
  return {id, {}};
}

void process_executor::remove(handler_id which, time_point now) {
  const auto found = pools_.find(which);
  if (found == pools_.end()) return;
  found->second->leave(now);
  leaving_.push_back(std::move(found->second));
  pools_.erase(found);
  drop_empty();
}

void process_executor::drop_empty() {
  std::erase_if(leaving_, [&](const std::unique_ptr<pool>& one) {
    if (!one->is_empty()) return false;
    wire::order forget = {};
    forget.kind = wire::order_kind::forget;
    forget.object = one->code().id;
    zygote_.send(forget, -1, -1, -1);
    return true;
  });
}

pool::counts process_executor::count(handler_id which) const {
  const auto found = pools_.find(which);
  return found == pools_.end() ? pool::counts{} : found->second->count();
}

std::string_view process_executor::load_failure(handler_id which) const {
  const auto found = pools_.find(which);
  return found == pools_.end() ? std::string_view() : found->second->load_failure();
}

template <class Do>
void process_executor::each_pool(const Do& what) {
  for (auto& [id, one] : pools_) what(*one);
  for (auto& one : leaving_) what(*one);
}

// --- requests

process_executor::ticket process_executor::start(handler_id which, std::string_view blob,
                                                 time_point now) {
  const auto made = ++last_ticket_;
  if (const auto found = pools_.find(which); found != pools_.end()) {
    found->second->start(made, blob, now);
  } else {
    outcome gone;
    gone.detail = "there is no such handler";
    complete({made, std::move(gone)});
  }
  return made;
}

void process_executor::cancel(ticket which) {
  bool is_found = false;
  each_pool([&](pool& any) { is_found = is_found || any.cancel(which); });
}

bool process_executor::next(completion& one) {
  if (done_.empty()) return false;
  one = std::move(done_.front());
  done_.pop_front();
  return true;
}

// --- what drives it

void process_executor::on_readable(int fd, time_point now) {
  if (zygote_.runs() && fd == zygote_.fd()) return on_control(now);
  const auto found = by_descriptor_.find(fd);
  if (found == by_descriptor_.end()) return;
  const auto [owner, who] = found->second;
  fd == who->doorbell() ? owner->on_doorbell(*who, now) : owner->on_end(*who, now);
  if (!leaving_.empty()) drop_empty();
}

void process_executor::on_time(time_point now) {
  if (!zygote_.runs() && zygote_retry_at_ <= now) {
    zygote_retry_at_ = now + zygote_retry_after;
    if (zygote_.start(settings_).empty()) descriptors_.watch(zygote_.fd());
  }
  for (auto& [id, one] : pools_)
    if (one->next_time() <= now) one->on_time(now);
}

time_point process_executor::next_time() const {
  auto next = zygote_.runs() ? time_point::max() : zygote_retry_at_;
  for (const auto& [id, one] : pools_) next = std::min(next, one->next_time());
  return next;
}

bool process_executor::order(worker& who, const object& code) {
  return zygote_.send(who.order(code.id), who.doorbell(), who.memory_file(), code.content.get());
}

void process_executor::watch(worker& who, pool& owner) {
  for (const int fd : {who.doorbell(), who.pidfd()}) {
    by_descriptor_[fd] = {&owner, &who};
    descriptors_.watch(fd);
  }
}

void process_executor::forget(worker& who) {
  for (const int fd : {who.doorbell(), who.pidfd()})
    if (by_descriptor_.erase(fd) != 0) descriptors_.forget(fd);
}

process_executor::~process_executor() {
  // Workers that were ordered may be born meanwhile: hear of all of them.
  zygote_.finish();
  each_pool([](pool& any) { any.leave({}); });
  zygote::received one;
  while (zygote_.receive(one, hello_max) == zygote::receipt::one) on_report(one, {});
  each_pool([](pool& any) { any.reap_all(); });
  if (zygote_.runs()) descriptors_.forget(zygote_.fd());
}

}  // namespace bulkhead::sandbox
