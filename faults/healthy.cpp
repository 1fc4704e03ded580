#include "faults/healthy.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include "faults/random.hpp"

namespace bulkhead::faults {
namespace {

using clock = std::chrono::steady_clock;

// Sleeps, but wakes up for the end.
void sleep_until(clock::time_point when, const std::stop_token& ends) {
  constexpr std::chrono::milliseconds step{50};
  while (!ends.stop_requested()) {
    const auto left = when - clock::now();
    if (left <= clock::duration::zero()) return;
    std::this_thread::sleep_for(std::min<clock::duration>(left, step));
  }
}

class asker {
 public:
  asker(const healthy_clients& what, const healthy_origins& at, const judged_request& judged,
        recorder& to)
      : client_(what.tls ? at.secure : at.plain, at.settings), judged_(judged), to_(to) {}
  ~asker() {
    if (client_.connections() > 1) to_.add_disturbed(client_.connections() - 1);
  }
  asker(const asker&) = delete;
  asker& operator=(const asker&) = delete;

  void ask(loop by, clock::time_point due) {
    const auto where = to_.now();
    auto how = mishap::none;
    std::string what;
    try {
      const auto answer = client_.send(judged_.request);
      if (answer.status != judged_.status || answer.content != judged_.content) {
        how = mishap::wrong;
        what = "status " + std::to_string(answer.status) + " with " +
               std::to_string(answer.content.size()) + " bytes";
      }
    } catch (const client_error& wrong) {
      how = wrong.why() == client_failure::bad_response ? mishap::wrong : mishap::lost;
      what = wrong.what();
    }
    if (how != mishap::none) what = judged_.what + ": " + what;
    to_.add(by, where, due, clock::now(), how, what);
  }

 private:
  client client_;
  const judged_request& judged_;
  recorder& to_;
};

void ask_closed(const std::stop_token& ends, asker& by, std::chrono::milliseconds pause) {
  while (!ends.stop_requested()) {
    by.ask(loop::closed, clock::now());
    sleep_until(clock::now() + pause, ends);
  }
}

void ask_open(const std::stop_token& ends, asker& by, clock::duration apart,
              clock::duration first) {
  for (auto due = clock::now() + first;; due += apart) {
    sleep_until(due, ends);
    if (ends.stop_requested()) return;
    by.ask(loop::open, due);
  }
}

}  // namespace

judged_request judge(const healthy_clients& what, const healthy_origins& at, std::uint64_t seed) {
  client one(what.tls ? at.secure : at.plain, at.settings);
  judged_request judged{
      what.method + " " + what.target, one.request(what.method, what.target), what.status, {}};
  if (what.send_bytes > 0) {
    random_source random(seed);
    std::string sent(what.send_bytes, '\0');
    for (auto& byte : sent) byte = static_cast<char>(random.below(256));
    judged.request.set_content(sent);
    judged.content = std::move(sent);
  }
  const auto answer = one.send(judged.request);
  if (what.send_bytes == 0) judged.content = what.content.value_or(answer.content);
  if (answer.status != judged.status || answer.content != judged.content)
    throw std::runtime_error(judged.what + ": status " + std::to_string(answer.status) + " and " +
                             std::to_string(answer.content.size()) +
                             " bytes of content are not what the scenario says");
  return judged;
}

healthy_traffic::healthy_traffic(const std::vector<healthy_clients>& all, const healthy_origins& at,
                                 std::uint64_t seed, recorder& to) {
  for (const auto& one : all) {
    const auto judged = judge(one, at, seed);
    const auto apart = one.rate > 0 ? std::chrono::duration_cast<clock::duration>(
                                          std::chrono::duration<double>(one.clients / one.rate))
                                    : clock::duration::zero();
    for (unsigned i = 0; i < one.clients; ++i)
      threads_.emplace_back([one, at, judged, apart, i, &to](const std::stop_token& ends) {
        asker by(one, at, judged, to);
        if (one.rate > 0)
          ask_open(ends, by, apart, apart * i / one.clients);
        else
          ask_closed(ends, by, one.pause);
      });
  }
}

}  // namespace bulkhead::faults
