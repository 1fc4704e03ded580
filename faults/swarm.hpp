// All hostile peers, driven by one thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "actors/socket.hpp"
#include "faults/kinds.hpp"
#include "faults/peer.hpp"
#include "faults/scenario.hpp"
#include "tls/openssl.hpp"

namespace bulkhead::faults {

// What became of one fault of a scenario so far.
struct fault_figures {
  std::uint64_t injected = 0;
  std::uint64_t skipped = 0;     // there were peers_max already, or no descriptor
  std::uint64_t refused = 0;     // no connection came about
  std::uint64_t unexpected = 0;  // ended otherwise than it may
  std::uint64_t closed = 0;      // by the server
  std::uint64_t reset = 0;       // by the server
  std::uint64_t left = 0;        // by the peer, as its script says or when the batch ended
  std::map<int, std::uint64_t> answered{};  // by status
};

struct swarm_settings {
  std::vector<fault> faults{};
  peer_place place{};
  std::string authority{};  // for Host
  std::size_t peers_max = 1000;
};

class swarm {
 public:
  // Throws std::system_error.
  explicit swarm(swarm_settings settings);
  // Every peer leaves.
  ~swarm();

  // From any thread; the peer connects at once.
  void launch(std::size_t fault, std::uint64_t seed);
  // Those leave that wait for nothing; who must be answered may stay until then.
  void end_batch();

  std::size_t open() const { return open_; }
  std::size_t open(std::size_t fault) const { return open_by_fault_[fault]; }
  std::vector<fault_figures> figures() const;
  // Of unexpected ends, the first few; each names fault, seed, and what came.
  std::vector<std::string> samples() const;

 private:
  struct order {
    std::size_t fault;
    std::uint64_t seed;
  };
  struct one_peer {
    std::unique_ptr<peer> self;
    order from;
  };

  void run();
  void take_orders();
  void start(order from);
  void step(int fd, bool gone);
  void step_due();
  void finish(int fd, peer::end how);
  void wake() const;

  swarm_settings settings_;
  tls::ssl_ctx_ptr context_;
  aim aim_;
  actors::unique_fd epoll_;
  actors::unique_fd event_;
  std::map<int, one_peer> peers_;
  std::vector<std::atomic<std::size_t>> open_by_fault_;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<bool> ends_ = false;

  mutable std::mutex mutex_;
  std::vector<order> orders_;
  bool ends_batch_ = false;
  std::vector<fault_figures> figures_;
  std::vector<std::string> samples_;

  std::jthread thread_;  // last: it begins when all else is there
};

}  // namespace bulkhead::faults
