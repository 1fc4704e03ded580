#include "sandbox/process/pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace bulkhead::sandbox {
namespace {

using namespace std::chrono_literals;
using phase = worker::phase;

// How often idle workers are looked at, and how much CPU time one may use between two looks
// without having been asked anything.
constexpr auto look_every = 1s;
constexpr std::chrono::nanoseconds idle_cpu_max = 100ms;
// A clock of another process is looked at no more often than that.
constexpr std::chrono::nanoseconds cpu_look_min = 1ms;

// While it was loaded.
std::string death_of(const outcome& how) {
  if (how.signal == 0)
    return "it died while it was loaded, with code " + std::to_string(how.exit_code);
  auto text = "it died while it was loaded, by signal " + std::to_string(how.signal);
  if (how.site.is_known()) text += " at " + how.site.program_counter;
  if (!how.site.symbol.empty()) text += " in " + how.site.symbol;
  return text;
}

bool is_alive(const worker& who) {
  return who.now != phase::dying;
}

}  // namespace

pool::pool(handler_settings settings, std::shared_ptr<const object> code, pool_host& host)
    : settings_(std::move(settings)),
      code_(std::move(code)),
      host_(host),
      loading_(settings_.retry_after, settings_.retry_after_max) {}

// --- requests

void pool::start(std::uint64_t ticket, std::string_view blob, time_point now) {
  if (is_leaving_) return refuse(ticket, outcome_kind::gone, "the handler was removed", now, now);
  if (blob.size() > settings_.request_bytes_max)
    return refuse(ticket, outcome_kind::overloaded, "the request is too large", now, now);
  if (waiting_.empty() && count_of(phase::busy) < settings_.workers)
    if (auto* who = idle_worker()) return give(*who, ticket, blob, now, now);
  fill(now);
  if (!has_hope()) return refuse(ticket, outcome_kind::gone, total_.load_failure, now, now);
  if (waiting_.size() >= settings_.waiting_max)
    return refuse(ticket, outcome_kind::overloaded, "too many requests wait", now, now);
  waiting_.push_back({ticket, std::string(blob), now});
}

bool pool::cancel(std::uint64_t ticket) {
  const auto queued = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&](const waiting& one) { return one.ticket == ticket; });
  if (queued != waiting_.end()) {
    waiting_.erase(queued);
    return true;
  }
  for (const auto& who : workers_)
    if (who->now == phase::busy && who->ticket == ticket) {
      who->is_wanted = false;
      return true;
    }
  return false;
}

void pool::give(worker& who, std::uint64_t ticket, std::string_view blob, time_point began,
                time_point now) {
  who.now = phase::busy;
  who.ticket = ticket;
  who.is_wanted = true;
  who.began = began;
  who.wall_end = began + settings_.wall_max;
  who.cpu_check = time_point::max();
  // One thread cannot use more CPU time than there was time.
  if (settings_.cpu_max < settings_.wall_max) {
    who.cpu_before = who.cpu_used();
    who.cpu_check = now + settings_.cpu_max;
  }
  who.begin(blob, who.wall_end, settings_.cpu_max);
}

void pool::give_next(time_point now) {
  while (!waiting_.empty() && count_of(phase::busy) < settings_.workers) {
    auto* who = idle_worker();
    if (!who) return;
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    give(*who, next.ticket, next.blob, next.began, now);
  }
}

void pool::deliver(worker& who, outcome result, time_point now) {
  result.wall = now - who.began;
  ++total_.served;
  if (who.is_wanted) host_.complete({who.ticket, std::move(result)});
  who.ticket = 0;
}

void pool::refuse(std::uint64_t ticket, outcome_kind kind, std::string detail, time_point began,
                  time_point now) {
  outcome result;
  result.kind = kind;
  result.detail = std::move(detail);
  result.wall = now - began;
  host_.complete({ticket, std::move(result)});
}

// --- workers

worker* pool::idle_worker() {
  for (const auto& who : workers_)
    if (who->now == phase::idle) return who.get();
  return nullptr;
}

std::size_t pool::count_of(phase one) const {
  return static_cast<std::size_t>(std::count_if(workers_.begin(), workers_.end(),
                                                [&](const auto& who) { return who->now == one; }));
}

// Somebody serves, or is on the way and none failed before it.
bool pool::has_hope() const {
  return std::any_of(workers_.begin(), workers_.end(), [&](const auto& who) {
    return who->now == phase::idle || who->now == phase::busy ||
           (!loading_.is_failing() && is_alive(*who));
  });
}

void pool::fill(time_point now) {
  if (is_leaving_) return;
  auto loading = count_of(phase::loading) + count_of(phase::ordered);
  auto missing =
      settings_.workers + settings_.spares - count_of(phase::idle) - count_of(phase::busy);
  // After a failure one at a time.
  if (loading_.is_failing()) missing = std::min<std::size_t>(missing, 1);
  while (loading < missing && loading_.may_try(now)) {
    auto next = std::make_unique<worker>(settings_, host_.next_serial());
    next->wall_end = now + settings_.load_max;
    if (!next->is_sound() || !host_.order(*next, *code_))
      return load_failed("no descriptor or memory for a worker, or no zygote", now);
    workers_.push_back(std::move(next));
    ++loading;
  }
}

bool pool::on_report(std::uint32_t serial, pid_t pid, descriptor& pidfd, const std::string& error,
                     time_point now) {
  const auto found = std::find_if(workers_.begin(), workers_.end(), [&](const auto& who) {
    return who->serial() == serial && who->now == phase::ordered;
  });
  if (found == workers_.end()) return false;
  auto& who = **found;
  if (pid <= 0) {
    erase(who);
    load_failed(error, now);
    return true;
  }
  who.born(pid, std::move(pidfd));
  if (who.pidfd() < 0) {  // no descriptor was free to receive it
    who.kill();
    who.reap();
    erase(who);
    load_failed("no descriptor for a worker", now);
    return true;
  }
  who.now = phase::loading;
  who.wall_end = now + settings_.load_max;
  host_.watch(who, *this);
  if (is_leaving_) end(who);
  return true;
}

void pool::on_doorbell(worker& who, time_point now) {
  const auto ring = who.take_ring();
  if (who.now == phase::dying || ring == worker::ring::not_yet) return;
  if (ring == worker::ring::answered) {
    who.now == phase::loading ? take_loaded(who, now) : take_answer(who, now);
  } else {
    outcome broken;
    broken.kind = outcome_kind::protocol;
    broken.detail = "it rang without an answer";
    const bool was_loading = who.now == phase::loading;
    if (was_loading) load_failed(broken.detail, now);
    if (who.now == phase::busy) deliver(who, std::move(broken), now);
    ++total_.faults;
    end(who);
  }
  fill(now);
  give_next(now);
}

void pool::take_loaded(worker& who, time_point now) {
  auto said = who.take_answer();
  if (said.how == verdict::ready) {
    who.now = phase::idle;
    who.resident_when_ready = who.resident_bytes();
    loading_.succeeded();
    total_.load_failure.clear();
    return;
  }
  end(who);
  load_failed(said.result.detail.empty() ? "nonsense while it was loaded" : said.result.detail,
              now);
}

void pool::take_answer(worker& who, time_point now) {
  auto said = who.take_answer();
  ++who.served;
  who.now = phase::idle;
  deliver(who, std::move(said.result), now);
  const bool is_old = settings_.recycle_requests != 0 && who.served >= settings_.recycle_requests;
  if (said.must_end) ++total_.faults;
  if (is_old) ++total_.recycled;
  if (said.must_end || is_old) end(who);
}

void pool::end(worker& who) {
  who.now = phase::dying;
  who.kill();
}

void pool::on_end(worker& who, time_point now) {
  // The answer may have come with the last breath.
  if (who.now == phase::busy && who.is_answered()) take_answer(who, now);
  if (who.now == phase::loading && who.is_answered()) take_loaded(who, now);
  const auto was = who.now;
  const auto cpu = was == phase::busy ? who.cpu_used() - who.cpu_before : 0ns;
  host_.forget(who);
  auto how = who.reap();
  if (was == phase::busy) {
    if (settings_.cpu_max < settings_.wall_max) how.cpu = cpu;
    deliver(who, std::move(how), now);
  } else if (was == phase::loading) {
    load_failed(death_of(how), now);
  }
  if (was == phase::busy || was == phase::idle) ++total_.faults;
  erase(who);
  fill(now);
  give_next(now);
}

void pool::erase(worker& who) {
  std::erase_if(workers_, [&](const auto& one) { return one.get() == &who; });
}

void pool::load_failed(std::string why, time_point now) {
  total_.load_failure = std::move(why);
  loading_.failed(now);
  if (has_hope()) return;
  for (auto& one : std::exchange(waiting_, {}))
    refuse(one.ticket, outcome_kind::gone, total_.load_failure, one.began, now);
}

// --- time

void pool::on_time(time_point now) {
  while (!waiting_.empty() && waiting_.front().began + settings_.wall_max <= now) {
    const auto late = std::move(waiting_.front());
    waiting_.pop_front();
    refuse(late.ticket, outcome_kind::overloaded, "no worker was free in time", late.began, now);
  }
  for (const auto& who : workers_) look_after(*who, now);
  if (look_at_ <= now) {
    if (look_at_ != time_point{}) look_at_idle();
    look_at_ = now + look_every;
  }
  fill(now);
  give_next(now);
}

void pool::look_after(worker& who, time_point now) {
  if (who.now == phase::loading && who.wall_end <= now) {
    end(who);
    load_failed("it was not loaded in time", now);
  }
  if (who.now != phase::busy || (who.wall_end > now && who.cpu_check > now)) return;
  if (who.is_answered()) {
    who.owe_ring();
    return take_answer(who, now);
  }
  if (who.wall_end <= now) return cut_off(who, budget_kind::wall, now);
  const auto left = settings_.cpu_max - (who.cpu_used() - who.cpu_before);
  if (left <= 0ns) return cut_off(who, budget_kind::cpu, now);
  who.cpu_check = now + std::max(left, cpu_look_min);
}

void pool::cut_off(worker& who, budget_kind budget, time_point now) {
  outcome late;
  late.kind = outcome_kind::deadline;
  late.budget = budget;
  if (settings_.cpu_max < settings_.wall_max) late.cpu = who.cpu_used() - who.cpu_before;
  ++total_.faults;
  end(who);
  deliver(who, std::move(late), now);
}

// Nobody who is not asked has anything to do, and nobody may grow without end.
void pool::look_at_idle() {
  for (const auto& who : workers_) {
    if (who->now != phase::idle) continue;
    const auto cpu = who->cpu_used();
    const bool was_asked = who->served != std::exchange(who->served_at_look, who->served);
    const auto used = cpu - std::exchange(who->cpu_at_look, cpu);
    const bool has_grown =
        who->resident_bytes() > who->resident_when_ready + settings_.recycle_growth_bytes;
    if (has_grown) ++total_.recycled;
    const bool is_restless = !was_asked && who->served > 0 && used > idle_cpu_max;
    if (is_restless) ++total_.faults;
    if (has_grown || is_restless) end(*who);
  }
}

void pool::on_zygote_end(time_point now) {
  const auto before = workers_.size();
  std::erase_if(workers_, [](const auto& who) { return who->now == phase::ordered; });
  if (workers_.size() != before) load_failed("the zygote died", now);
}

time_point pool::next_time() const {
  if (is_leaving_) return time_point::max();
  auto next = workers_.empty() ? time_point::max() : look_at_;
  if (!waiting_.empty()) next = std::min(next, waiting_.front().began + settings_.wall_max);
  for (const auto& who : workers_) {
    if (who->now == phase::loading) next = std::min(next, who->wall_end);
    if (who->now == phase::busy) next = std::min({next, who->wall_end, who->cpu_check});
  }
  return std::min(next, loading_.next());
}

// --- the end

void pool::leave(time_point now) {
  is_leaving_ = true;
  for (auto& one : std::exchange(waiting_, {}))
    refuse(one.ticket, outcome_kind::gone, "the handler was removed", one.began, now);
  for (const auto& who : workers_) {
    if (who->now == phase::ordered || who->now == phase::dying) continue;
    if (who->now == phase::busy) {
      outcome gone;
      gone.detail = "the handler was removed";
      deliver(*who, std::move(gone), now);
    }
    end(*who);
  }
}

void pool::reap_all() {
  for (const auto& who : workers_) {
    if (who->now == phase::ordered) continue;
    host_.forget(*who);
    who->kill();
    who->reap();
  }
  workers_.clear();
}

pool::counts pool::count() const {
  auto all = total_;
  all.waiting = waiting_.size();
  all.idle = count_of(phase::idle);
  all.busy = count_of(phase::busy);
  all.dying = count_of(phase::dying);
  all.loading = count_of(phase::loading) + count_of(phase::ordered);
  return all;
}

}  // namespace bulkhead::sandbox
