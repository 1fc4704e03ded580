// What a bounded mailbox costs when it is full: senders that wait for a timer of 1 ms, as sessions
// do, against senders that try again as soon as they can run. Same gate, same receiver, same work.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "actors/gate.hpp"
#include "actors/runtime/polled_actor.hpp"
#include "actors/runtime/reactor.hpp"
#include "actors/runtime/system.hpp"

namespace {

using namespace bulkhead::actors;
using namespace std::chrono_literals;

constexpr std::size_t clients = 64;
constexpr std::size_t requests = 5000;
constexpr std::size_t bound = 8;
// The receiver's own slowness: so many each tick of its timer.
constexpr std::size_t served_a_tick = 4;
constexpr auto tick = 1ms;
constexpr int rounds = 5;

enum class strategy : std::uint8_t { credit, naive };

class sender;

struct workload {
  strategy how = strategy::credit;
  gate door{bound};
  std::size_t begun = 0;
  std::vector<time_point::duration> latencies{};
  std::deque<sender*> mailbox{};
  std::promise<void> done{};
};

// One request after the other: enter the gate, wait to be acknowledged.
class sender final : public polled_actor {
 public:
  sender(caf::actor_config& cfg, reactor& home, workload& shared)
      : polled_actor(cfg, home), shared_(shared), timer_(*this) {}
  void on_exit() override { home().timers().cancel(timer_); }

 protected:
  void on_work(work::bits bits) override {
    if (bits & work::stop) return end();
    if ((bits & work::acknowledged) && credit_ && credit_->acknowledge()) {
      shared_.latencies.push_back(std::chrono::steady_clock::now() - begun_);
      credit_.reset();
      if (shared_.latencies.size() == requests) shared_.done.set_value();
    }
    if (!credit_ && shared_.begun < requests) {
      ++shared_.begun;
      begun_ = std::chrono::steady_clock::now();
      credit_.emplace();
    }
    if (!credit_ || credit_->now() == completion_credit::state::sent) return;
    if (credit_->attempt(shared_.door))
      shared_.mailbox.push_back(this);
    else if (shared_.how == strategy::naive)
      post(work::writable);
    else
      home().timers().arm(timer_, home().now() + 1ms);
  }

 private:
  workload& shared_;
  timer timer_;
  std::optional<completion_credit> credit_;
  time_point begun_{};
};

class receiver final : public polled_actor {
 public:
  receiver(caf::actor_config& cfg, reactor& home, workload& shared)
      : polled_actor(cfg, home), shared_(shared), timer_(*this) {}
  void on_exit() override { home().timers().cancel(timer_); }

 protected:
  void on_work(work::bits bits) override {
    if (bits & work::stop) return end();
    for (std::size_t i = 0; i < served_a_tick && !shared_.mailbox.empty(); ++i) {
      shared_.door.leave();
      shared_.mailbox.front()->post(work::acknowledged);
      shared_.mailbox.pop_front();
    }
    home().timers().arm(timer_, home().now() + tick);
  }

 private:
  workload& shared_;
  timer timer_;
};

struct result {
  std::uint64_t attempts, full, deliveries;
  double seconds, p50_ms, p99_ms;
};

double quantile_ms(const std::vector<time_point::duration>& sorted, double which) {
  const auto index = static_cast<std::size_t>(which * static_cast<double>(sorted.size() - 1));
  return std::chrono::duration<double, std::milli>(sorted[index]).count();
}

result run(strategy how) {
  workload shared;
  shared.how = how;
  auto ended = shared.done.get_future();
  const auto start = std::chrono::steady_clock::now();
  {
    runtime_system system({.reactors = 1});
    auto& home = system.reactors().at(0);
    const auto server = spawn_polled<receiver>(home, shared);
    std::vector<actor_ref<sender>> all;
    for (std::size_t i = 0; i < clients; ++i) all.push_back(spawn_polled<sender>(home, shared));
    server->post(work::readable);
    for (auto& one : all) one->post(work::readable);
    if (ended.wait_for(60s) != std::future_status::ready) {
      std::fprintf(stderr, "credit_bench: %zu of %zu requests in a minute\n",
                   shared.latencies.size(), requests);
      std::_Exit(1);
    }
    std::vector<std::future<void>> exits;
    const auto stop = [&](auto& actor) {
      auto exited = std::make_shared<std::promise<void>>();
      exits.push_back(exited->get_future());
      actor->attach_functor([exited](const caf::error&) { exited->set_value(); });
      actor->post(work::stop);
    };
    for (auto& one : all) stop(one);
    stop(server);
    for (auto& exit : exits) exit.wait();
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::sort(shared.latencies.begin(), shared.latencies.end());
  const auto& counted = shared.door.counted();
  if (shared.latencies.size() != requests || counted.deliveries.value() != requests) {
    std::fprintf(stderr, "credit_bench: requests were lost or doubled\n");
    std::_Exit(1);
  }
  return {counted.attempts.value(),          counted.full.value(),
          counted.deliveries.value(),        taken.count(),
          quantile_ms(shared.latencies, .5), quantile_ms(shared.latencies, .99)};
}

void print(const char* name, const result& r) {
  std::printf("| %s | %llu | %llu | %llu | %.0f | %.2f | %.2f |\n", name,
              static_cast<unsigned long long>(r.attempts), static_cast<unsigned long long>(r.full),
              static_cast<unsigned long long>(r.deliveries),
              static_cast<double>(requests) / r.seconds, r.p50_ms, r.p99_ms);
}

}  // namespace

int main() {
  std::printf("%zu requests, %zu clients, a gate of %zu, %zu served a millisecond\n\n", requests,
              clients, bound, served_a_tick);
  std::printf("| strategy | attempts | full | deliveries | requests/s | p50 ms | p99 ms |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  std::vector<double> attempts;
  std::vector<double> p99;
  for (int i = 0; i < rounds; ++i) {
    const auto credit = run(strategy::credit);
    const auto naive = run(strategy::naive);
    print("credit, 1 ms", credit);
    print("naive", naive);
    attempts.push_back(static_cast<double>(naive.attempts) / static_cast<double>(credit.attempts));
    p99.push_back(credit.p99_ms / naive.p99_ms);
  }
  std::sort(attempts.begin(), attempts.end());
  std::sort(p99.begin(), p99.end());
  std::printf("\nmedian of %d rounds: %.0f times fewer attempts, p99 %.2f times naive's\n", rounds,
              attempts[rounds / 2], p99[rounds / 2]);
}
