#include "actors/shard.hpp"

#include "actors/session.hpp"

namespace bulkhead::actors {

void session_link::insert_behind(session_link& other) {
  previous = &other;
  next = other.next;
  next->previous = this;
  other.next = this;
}

void session_link::unlink() {
  previous->next = next;
  next->previous = previous;
  previous = next = this;
}

std::uint64_t shard::first_request() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto ms = static_cast<std::uint64_t>(now.tv_sec) * 1000 +
                  static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
  return (ms & 0xffff'ffff) << 16;
}

std::string_view shard::date() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != date_second_) {
    date_second_ = now.tv_sec;
    date_ = protocol::format_date(now.tv_sec);
  }
  return {date_.data(), date_.size()};
}

void shard::record(access_record& what, const peer_address& peer, time_point begun) {
  const auto taken = std::chrono::steady_clock::now() - begun;
  what.duration = std::chrono::duration_cast<std::chrono::microseconds>(taken);
  counters_.count(what);
  if (what.request_id != 0) counters_.handler_durations.observe(what.duration);
  if (!shared_.on_access && !shared_.log) return;
  const auto name = to_string(peer);
  what.peer = name;
  if (shared_.log) shared_.log->write(what);
  if (shared_.on_access) shared_.on_access(what);
}

void shard::charge(std::size_t before, std::size_t after) {
  if (before == after) return;
  // Wraps around for a decrease, as unsigned arithmetic may.
  const auto held =
      shared_.held_bytes.fetch_add(after - before, std::memory_order_relaxed) + (after - before);
  if (after > before && held > shared_.settings().memory_bytes_max) shed_largest();
}

// Looks at this reactor's sessions alone: each reactor that goes over the budget
// cuts its own largest, which is the largest of all within a factor of their number.
void shard::shed_largest() {
  session* largest = nullptr;
  for (auto* link = sessions_.next; link != &sessions_; link = link->next) {
    auto* candidate = static_cast<session*>(link);
    if (!candidate->is_shed() && (!largest || candidate->held_bytes() > largest->held_bytes()))
      largest = candidate;
  }
  if (largest) largest->shed();
}

}  // namespace bulkhead::actors
