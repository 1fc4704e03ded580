#include "actors/runtime/polled_actor.hpp"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>

#include "actors/runtime/reactor.hpp"

namespace bulkhead::actors {

namespace {

// Every polled actor shares these: a behavior of its own costs an allocation
// each, and CAF's defaults print to standard output.
caf::behavior shared_behavior() {
  static const caf::behavior none{[](caf::unit_t) {}};
  return none;
}

caf::result<caf::message> drop_message(caf::scheduled_actor*, caf::message_view&) {
  return caf::sec::unexpected_message;
}

caf::error log_exception(caf::scheduled_actor* self, std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    spdlog::error("actor {} {}: {}", self->name(), self->id(), e.what());
  } catch (...) {
    spdlog::error("actor {} {}: an exception that is not a std::exception", self->name(),
                  self->id());
  }
  return caf::make_error(caf::exit_reason::unhandled_exception);
}

work::bits bits_of(std::uint32_t events) {
  work::bits bits = 0;
  if (events & EPOLLIN) bits |= work::readable;
  if (events & EPOLLOUT) bits |= work::writable;
  if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) bits |= work::hangup;
  if (events & (EPOLLHUP | EPOLLERR)) bits |= work::gone;
  return bits;
}

}  // namespace

polled_actor::polled_actor(caf::actor_config& cfg, reactor& home)
    : caf::event_based_actor(cfg), home_(&home) {
  set_default_handler(drop_message);
  set_exception_handler(log_exception);
}

caf::behavior polled_actor::make_behavior() {
  return shared_behavior();
}

bool polled_actor::run(work::bits bits) {
  const auto before = word_.fetch_or(static_cast<work::bits>(bits | work::scheduled));
  if (!(before & work::scheduled)) return home_->execute(*this);
  on_busy(bits);
  return true;
}

void polled_actor::on_busy(work::bits) {}
void polled_actor::on_handover() {}

void polled_actor::keep_itself() {
  intrusive_ptr_add_ref(ctrl());
  keeps_itself_ = true;
}

void polled_actor::post(work::bits bits) {
  const auto before = word_.fetch_or(static_cast<work::bits>(bits | work::scheduled));
  if (before & work::scheduled) return;
  intrusive_ptr_add_ref(ctrl());
  home_->push(this);
}

void polled_actor::post_adopted(work::bits bits) {
  const auto before = word_.fetch_or(static_cast<work::bits>(bits | work::scheduled));
  if (before & work::scheduled)
    intrusive_ptr_release(ctrl());
  else
    home_->push(this);
}

bool polled_actor::on_events(std::uint32_t events) {
  return run(bits_of(events));
}

bool polled_actor::watch(int fd) {
  watched_ = home_->watch(fd, *this, EPOLLIN | EPOLLOUT | EPOLLRDHUP);
  return watched_;
}

// The word is left as `scheduled` when the actor is done, so that nothing
// schedules a dead actor again.
caf::resumable::resume_result polled_actor::resume(caf::execution_unit* unit, std::size_t max) {
  const auto bits = word_.exchange(work::scheduled);
  if (bits & work::mail) {
    const auto result = caf::event_based_actor::resume(unit, max);
    if (result == done) return done;
    if (result == resume_later) word_.fetch_or(work::mail);
  }
  if (bits & ~(work::scheduled | work::mail)) {
    if (!work_through(bits, unit)) {
      word_.fetch_or(work::returned);
      return resume_later;
    }
    if (getf(is_cleaned_up_flag)) return done;
  }
  // More came meanwhile, or was asked for by the actor itself: others go first.
  work::bits expected = work::scheduled;
  return word_.compare_exchange_strong(expected, 0) ? awaiting_message : resume_later;
}

bool polled_actor::work_through(work::bits bits, caf::execution_unit* unit) {
  if (!activate(unit)) return true;
  try {
    on_work(bits);
  } catch (...) {
    auto thrown = std::current_exception();
    quit(log_exception(this, thrown));
  }
  if (reactor::lost_here()) return false;
  finalize();
  return true;
}

}  // namespace bulkhead::actors
