#include "actors/guest_host.hpp"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "actors/describe.hpp"
#include "actors/guest_settings.hpp"
#include "actors/runtime/reactor.hpp"

namespace bulkhead::actors {

namespace {

// Events a turn, so that a busy sandbox can't starve the reactor's sessions.
constexpr int events_per_turn = 64;

}  // namespace

guest_host::guest_host(caf::actor_config& cfg, reactor& where, service& shared, unsigned reactors)
    : polled_actor(cfg, where),
      shared_(shared),
      reactors_(reactors),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(*this) {
  if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll_create1");
}

void guest_host::on_exit() {
  home().timers().cancel(timer_);
  started_.clear();
  executor_.reset();
  places_.clear();
  table_.reset();
}

void guest_host::begin() {
  adopt();
  if (shared_.starts_without_guests) return;
  for (const auto& [which, where] : places_)
    if (!where->failure.empty())
      throw std::runtime_error("handler " + which->settings().path + ": " + where->failure);
}

void guest_host::on_work(work::bits bits) {
  if (bits & work::stop) return end();
  if (!is_watched() && !polled_actor::watch(epoll_.get()))
    throw std::system_error(errno, std::generic_category(), "cannot watch the sandboxes");
  if (bits & work::completion) adopt();
  if (executor_) {
    if (bits & work::timeout) executor_->on_time(home().now());
    take_events();
  }
  look_after_places();
  settle();
}

// ------------------------------------------------------------------- handlers

std::string guest_host::start_executor() {
  auto made =
      sandbox::process_executor::start(settings_for(shared_.settings().sandbox_require), *this);
  if (!made.value) return std::move(made.error);
  executor_ = std::move(made.value);
  if (home().index() == 0) {
    spdlog::info("sandboxes: layers {}", to_string(executor_->held()));
    // An ordinary user's way to the others: who has them has no need of it.
    const auto missing = executor_->missing().without({sandbox::layer::user_namespace});
    if (!missing.empty()) spdlog::warn("sandboxes: without {}", to_string(missing));
  }
  return {};
}

guest_host::place& guest_host::place_of(const std::shared_ptr<guest>& which) {
  auto& found = places_[which.get()];
  if (found) return *found;
  found = std::make_unique<place>(which, settings_for(which->settings(), reactors_));
  add(*found);
  return *found;
}

// What failed may do so for want of descriptors or memory, which others give back.
void guest_host::add(place& where) {
  const auto now = std::chrono::steady_clock::now();
  where.failure = executor_ ? std::string() : start_executor();
  if (where.failure.empty()) {
    auto added = executor_->add(where.settings, now);
    where.id = added.value;
    where.failure = std::move(added.error);
  }
  where.id != 0 ? where.adding.succeeded() : where.adding.failed(now);
}

void guest_host::look_after_places() {
  for (const auto& [which, where] : places_) {
    if (where->id == 0 && where->adding.may_try(home().now())) add(*where);
    if (where->id != 0) where->failure = executor_->load_failure(where->id);
    if (where->failure != where->told) tell(*where);
  }
}

void guest_host::tell(place& where) const {
  where.told = where.failure;
  where.keep->set_failure(home().index(), where.failure);
  const auto& path = where.keep->settings().path;
  if (where.failure.empty())
    spdlog::info("handler {}: can be had again", path);
  else
    spdlog::error("handler {}: can't be had, is tried again: {}", path, one_line(where.failure));
}

void guest_host::adopt() {
  const auto& named = table()->all;
  for (const auto& each : named)
    if (!each->runs_on_thread()) place_of(each);
  leaving_.clear();
  for (const auto& [which, where] : places_)
    if (std::ranges::find(named, where->keep) == named.end()) leaving_.push_back(which);
}

// What a handler has begun is answered before it goes.
void guest_host::drop_leaving() {
  std::erase_if(leaving_, [&](const guest* which) {
    const auto found = places_.find(which);
    const auto& one = *found->second;
    if (one.running != 0 || one.entry.waiting() != 0) return false;
    if (one.id != 0) executor_->remove(one.id, home().now());
    places_.erase(found);
    return true;
  });
}

// ------------------------------------------------------------------- requests

gate& guest_host::gate_of(const std::shared_ptr<guest>& which) {
  const bool is_new = !places_.contains(which.get());
  auto& where = place_of(which);
  // Its request began before others were configured.
  if (is_new && std::ranges::find(table()->all, which) == table()->all.end())
    leaving_.push_back(which.get());
  return where.entry;
}

guest_host::ticket guest_host::start(const std::shared_ptr<guest>& which, std::string_view blob,
                                     time_point began, guest_waiter& who) {
  auto& where = place_of(which);
  if (where.id == 0) {
    sandbox::outcome gone;
    gone.detail = where.failure;
    where.entry.leave();
    who.on_outcome(std::move(gone));
    return 0;
  }
  const auto made = executor_->start(where.id, blob, began);
  ++where.running;
  started_.emplace(made, started{&who, &where});
  deliver();
  settle();
  return made;
}

void guest_host::cancel(ticket which) {
  const auto found = started_.find(which);
  if (found == started_.end()) return;
  executor_->cancel(which);
  auto& where = *found->second.where;
  started_.erase(found);
  --where.running;
  where.entry.leave();
}

void guest_host::deliver() {
  sandbox::completion one;
  while (executor_->next(one)) {
    const auto found = started_.find(one.ticket);
    if (found == started_.end()) continue;
    const auto [who, where] = found->second;
    started_.erase(found);
    --where->running;
    where->entry.leave();
    who->on_outcome(std::move(one.result));
  }
}

// ---------------------------------------------------------- what drives it all

void guest_host::watch(int fd) {
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = fd;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &wanted);
}

void guest_host::forget(int fd) {
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void guest_host::take_events() {
  std::array<epoll_event, events_per_turn> ready;
  const int count = ::epoll_wait(epoll_.get(), ready.data(), events_per_turn, 0);
  for (int i = 0; i < count; ++i)
    executor_->on_readable(ready[static_cast<std::size_t>(i)].data.fd, home().now());
  // The reactor tells of edges: look again until there is nothing.
  if (count > 0) post(work::readable);
}

void guest_host::settle() {
  if (!leaving_.empty()) drop_leaving();
  auto next = time_point::max();
  if (executor_) {
    deliver();
    next = executor_->next_time();
  }
  for (const auto& [which, where] : places_) next = std::min(next, where->adding.next());
  if (next == time_point::max())
    home().timers().cancel(timer_);
  else if (!timer_.armed() || timer_.due() != next)
    home().timers().arm(timer_, next);
}

}  // namespace bulkhead::actors
