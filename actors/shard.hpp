// What the sessions of one reactor share. Only its thread touches it, so nothing
// here is locked; counters may be read from anywhere.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "actors/counters.hpp"
#include "actors/gate.hpp"
#include "actors/runtime/polled_actor.hpp"
#include "actors/runtime/reactor.hpp"
#include "actors/service.hpp"
#include "actors/socket.hpp"
#include "actors/workspace.hpp"
#include "protocol/date.hpp"

namespace bulkhead::actors {

class guest_host;
class session;

// Links a session into the list of its shard's living.
struct session_link {
  session_link* previous = this;
  session_link* next = this;

  void insert_behind(session_link& other);
  void unlink();
};

class shard {
 public:
  shard(service& shared, reactor& where)
      : shared_(shared),
        home_(where),
        spares_(shared.settings().limits.fields_max),
        completions_(completions_bound) {}

  service& shared() { return shared_; }
  const config& settings() const { return shared_.settings(); }
  reactor& home() { return home_; }
  workspace_pool& spares() { return spares_; }
  reactor_counters& counters() { return counters_; }
  // The same, for what did not come to a session: refused at the door.
  void count(reason why) { counters_.ended_by_reason[static_cast<std::size_t>(why)].add(); }
  session_link& sessions() { return sessions_; }
  // Bounds how many ended sessions the acceptors have still to take note of.
  gate& completions() { return completions_; }

  // Who drives the sandboxes of this reactor.
  guest_host* guests() { return guests_; }
  void set_guests(guest_host& host) { guests_ = &host; }

  // Set once, when the server begins to drain.
  bool draining() const { return draining_; }
  void set_draining() { draining_ = true; }

  // A session holds so many bytes more or fewer. Over the budget, the largest
  // holders of all reactors are told to end.
  void charge(std::size_t before, std::size_t after);
  // As long as the server is over its budget: ends the largest session here, or posts work::shed
  // to the keeper where there is a larger one.
  void shed_largest();
  // Who calls shed_largest() for others; outlives all sessions.
  void set_keeper(polled_actor& one) { keeper_ = &one; }

  // Counts, and tells who wants to know, with the peer's name and the time since
  // `begun` added.
  void record(access_record& what, const peer_address& peer, time_point begun);

  // The Date field's value now, formatted once a second.
  std::string_view date();
  // The reactor in the upper bits; below, a count from the milliseconds of the start on, so that
  // the next process does not give the same ones.
  std::uint64_t next_request_id() {
    return (std::uint64_t{home_.index()} << 48) | (++request_count_ & 0xffff'ffff'ffff);
  }

 private:
  static constexpr std::size_t completions_bound = 256;

  static std::uint64_t first_request();

  service& shared_;
  reactor& home_;
  workspace_pool spares_;
  reactor_counters counters_;
  session_link sessions_;
  gate completions_;
  guest_host* guests_ = nullptr;
  polled_actor* keeper_ = nullptr;
  // What the largest session that is not leaving holds, or more; other reactors read it.
  std::atomic<std::size_t> largest_bytes_{0};
  bool draining_ = false;
  std::uint64_t request_count_ = first_request();
  std::time_t date_second_ = -1;
  std::array<char, protocol::date_bytes> date_{};
};

}  // namespace bulkhead::actors
