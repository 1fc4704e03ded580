#include "actors/instance.hpp"

#include "actors/process_figures.hpp"

namespace bulkhead::actors {

instance::instance(service& shared, std::vector<door> doors, unsigned threads)
    : shared_(shared),
      acceptors_alive_(doors.size() * threads),
      system_({.reactors = threads, .spare_threads_max = shared.settings().spare_threads_max}) {
  for (unsigned i = 0; i < threads; ++i) {
    auto& home = system_.reactors().at(i);
    shards_.push_back(std::make_unique<shard>(shared, home));
    shared.shards.push_back(shards_.back().get());
    add_host(*shards_.back(), threads);
    for (auto& each : doors) {
      auto child =
          spawn_polled<acceptor>(home, *shards_.back(), std::move(each.sockets[i]), each.secure);
      shards_.back()->set_keeper(*child.get());
      child->attach_functor([this](const caf::error&) {
        const std::lock_guard guard(mutex_);
        if (--acceptors_alive_ == 0) ended_.notify_all();
      });
      acceptors_.push_back(std::move(child));
    }
  }
  try {
    for (auto& host : hosts_) host->begin();
  } catch (...) {
    stop();
    throw;
  }
  for (auto& host : hosts_) host->post(work::readable);
  for (auto& a : acceptors_) a->post(work::readable);
}

void instance::add_host(shard& local, unsigned threads) {
  auto host = spawn_polled<guest_host>(local.home(), shared_, threads);
  host->attach_functor([this](const caf::error&) {
    const std::lock_guard guard(mutex_);
    if (--hosts_alive_ == 0) ended_.notify_all();
  });
  local.set_guests(*host.get());
  hosts_.push_back(std::move(host));
  ++hosts_alive_;
}

void instance::adopt_guests() {
  for (auto& host : hosts_) host->post(work::completion);
}

void instance::begin_to_drain() {
  draining_ = true;
  for (auto& a : acceptors_) a->post(work::drain);
}

bool instance::wait_for_end(std::chrono::milliseconds time) {
  std::unique_lock guard(mutex_);
  return ended_.wait_for(guard, time, [this] { return acceptors_alive_ == 0; });
}

void instance::stop() {
  for (auto& a : acceptors_) a->post(work::stop);
  for (const auto& table : shared_.living_guests())
    for (const auto& each : table->all) each->end();
  std::unique_lock guard(mutex_);
  ended_.wait(guard, [this] { return acceptors_alive_ == 0; });
  for (auto& host : hosts_) host->post(work::stop);
  ended_.wait(guard, [this] { return hosts_alive_ == 0; });
}

statistics instance::stats() {
  statistics sum;
  sum.held_bytes = shared_.held_bytes.load(std::memory_order_relaxed);
  sum.sessions = shared_.sessions.load(std::memory_order_relaxed);
  for (const auto& s : shards_) {
    const auto& c = s->counters();
    sum.accepted += c.accepted.value();
    sum.sessions_refused += c.sessions_refused.value();
    sum.sessions_ended += c.sessions_ended.value();
    sum.requests += c.requests.value();
    sum.requests_refused += c.requests_refused.value();
    sum.handler_exceptions += c.handler_exceptions.value();
    sum.shed += c.ended_by_reason[static_cast<std::size_t>(reason::shed)].value();
    const auto& completions = s->completions().counted();
    sum.completion_attempts += completions.attempts.value();
    sum.completion_full += completions.full.value();
    sum.completion_retries += completions.retries.value();
    sum.completion_deliveries += completions.deliveries.value();
  }
  sum.handovers = system_.reactors().handovers();
  return sum;
}

metrics_snapshot instance::figures() {
  const auto now = stats();
  metrics_snapshot all;
  for (const auto& s : shards_) all.add(s->counters());
  all.sessions = now.sessions;
  all.sessions_max = shared_.settings().sessions_max;
  all.handovers = now.handovers;
  all.held_bytes = now.held_bytes;
  all.held_bytes_max = shared_.settings().memory_bytes_max;
  all.completion_attempts = now.completion_attempts;
  all.completion_full = now.completion_full;
  all.completion_retries = now.completion_retries;
  all.completion_deliveries = now.completion_deliveries;
  if (shared_.log) {
    const auto lines = shared_.log->counts();
    all.log_dropped = lines.dropped;
    all.log_suppressed = lines.suppressed;
  }
  const auto handlers = shared_.guests();
  for (const auto& each : handlers->all) all.add(*each);
  all.process = read_process_figures();
  return all;
}

}  // namespace bulkhead::actors
