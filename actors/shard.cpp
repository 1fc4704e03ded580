#include "actors/shard.hpp"

#include <algorithm>

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
  shared_.held_bytes.fetch_add(after - before, std::memory_order_relaxed);
  if (after > largest_bytes_.load(std::memory_order_relaxed))
    largest_bytes_.store(after, std::memory_order_relaxed);
  if (after > before && shared_.over_budget()) shed_largest();
}

void shard::shed_largest() {
  while (shared_.over_budget()) {
    session* largest = nullptr;
    std::size_t second_bytes = 0;
    for (auto* link = sessions_.next; link != &sessions_; link = link->next) {
      auto* candidate = static_cast<session*>(link);
      if (candidate->is_shed()) continue;
      if (!largest || candidate->held_bytes() > largest->held_bytes()) {
        if (largest) second_bytes = largest->held_bytes();
        largest = candidate;
      } else {
        second_bytes = std::max(second_bytes, candidate->held_bytes());
      }
    }
    const auto mine = largest ? largest->held_bytes() : 0;
    largest_bytes_.store(mine, std::memory_order_relaxed);
    // What others have said may be more than they hold by now, never less: they look, and hand it
    // on in their turn.
    auto* const where = *std::max_element(
        shared_.shards.begin(), shared_.shards.end(), [](const shard* one, const shard* other) {
          return one->largest_bytes_.load(std::memory_order_relaxed) <
                 other->largest_bytes_.load(std::memory_order_relaxed);
        });
    if (where->largest_bytes_.load(std::memory_order_relaxed) > mine)
      return where->keeper_->post(work::shed);
    if (mine == 0) return;
    largest_bytes_.store(second_bytes, std::memory_order_relaxed);
    largest->shed();
  }
}

}  // namespace bulkhead::actors
