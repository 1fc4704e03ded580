#include "actors/cli/supervisor.hpp"

#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "actors/cli/notify.hpp"
#include "actors/cli/worker.hpp"
#include "actors/reload.hpp"
#include "actors/validate.hpp"

namespace bulkhead::cli {
namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr auto pause_min = 100ms;
constexpr auto pause_max = 10s;
// Beyond the worker's own patience with its handlers.
constexpr auto kill_margin = 3s;

std::chrono::milliseconds pause_after(unsigned crashes) {
  if (crashes <= 1) return 0ms;
  return std::min<std::chrono::milliseconds>(pause_min * (1u << std::min(crashes - 2, 10u)),
                                             pause_max);
}

std::string describe(const actors::flight_recorder::flight& one) {
  return fmt::format("request {:016x} ({})", one.request_id, one.what);
}

std::string place_of_death(std::vector<actors::flight_recorder::flight> flights) {
  std::string where = flights.empty() ? "outside of any handler" : "where is not known";
  if (!flights.empty() && flights.front().signal != 0) {
    const auto& own = flights.front();
    where = own.request_id != 0 ? "in " + describe(own) : "outside of any handler";
    flights.erase(flights.begin());
  }
  for (const auto& other : flights) where += "; running: " + describe(other);
  return where;
}

}  // namespace

supervisor::supervisor(const command_line& asked, actors::listening sockets)
    : asked_(asked), sockets_(std::move(sockets)) {}

int supervisor::run(const std::function<void()>& ready) {
  start_worker();
  while (!exit_code_) {
    const int signal = told_.wait(until_next());
    if (signal != 0) take(signal, ready);
    if (exit_code_ || until_next() != 0ms) continue;
    if (!worker_)
      start_worker();
    else if (ending_)
      ::kill(worker_, SIGKILL);
  }
  return *exit_code_;
}

std::chrono::milliseconds supervisor::until_next() const {
  if (worker_ && !ending_) return signals::forever;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_ - steady::now());
  return std::max(left, 0ms);
}

void supervisor::start_worker() {
  pending_.reset();  // refused, or what the last one died of
  flights_.clear();
  std::cout << std::flush;
  const auto parent = ::getpid();
  const auto child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) become_worker(parent);
  worker_ = child;
  started_ = steady::now();
}

void supervisor::become_worker(pid_t parent) {
  // A terminal's Ctrl-C is the supervisor's, who passes it on. And without a supervisor nobody
  // would: drain then.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, end_signal());
  if (::getppid() != parent) ::raise(end_signal());
  int code = 0;
  const auto failed = [&](const std::exception& why, int with) {
    std::cerr << "bulkhead serve: " << why.what() << '\n';
    code = with;
  };
  try {
    flights_.record_this_process();
    const auto tell = [parent](int what) { return [=] { ::kill(parent, what); }; };
    work(asked_, asked_.settings, std::move(sockets_), tell(SIGUSR1), tell(SIGUSR2),
         ready_ ? worker_role::next : worker_role::first);
  } catch (const std::invalid_argument& wrong) {
    failed(wrong, exit_usage);
  } catch (const std::exception& wrong) {
    failed(wrong, 1);
  }
  // Not by return: what is above on the stack is the supervisor's.
  std::exit(code);
}

void supervisor::take(int signal, const std::function<void()>& ready) {
  switch (signal) {
    case SIGUSR1:
      if (std::exchange(ready_, true)) break;
      ready();
      notify("READY=1");
      break;
    case SIGUSR2:
      if (pending_) asked_.settings = std::move(*std::exchange(pending_, std::nullopt));
      break;
    case SIGHUP:
      reload();
      break;
    case SIGCHLD:
      bury_worker();
      break;
    default:
      begin_to_end();
  }
}

void supervisor::reload() {
  auto loaded = load_config(asked_.file, asked_.flags);
  if (!log_faults(loaded)) return;
  // What the worker refuses must not become what the next one starts with: that is what it says.
  try {
    auto next = std::move(loaded.settings);
    static_cast<void>(actors::keep_for_now(asked_.settings, next));
    actors::validate(next);
    if (sockets_.tls) sockets_.tls->reload(next);
    (worker_ ? pending_.emplace() : asked_.settings) = std::move(next);
  } catch (const std::exception& wrong) {
    spdlog::error("reload: {}; the settings stay as they were", wrong.what());
    return;
  }
  if (worker_ && !ending_) ::kill(worker_, reload_signal());
}

void supervisor::begin_to_end() {
  if (!worker_) {
    exit_code_ = 0;
    return;
  }
  // The worker takes what waits in the queues before it closes its sockets; ours would keep them
  // open for connections that nobody accepts.
  sockets_ = {};
  next_ = steady::now() + kill_margin + (ending_ ? 0ms : asked_.settings.deadlines.drain);
  ending_ = true;
  ::kill(worker_, end_signal());
}

void supervisor::bury_worker() {
  int status = 0;
  if (!worker_ || ::waitpid(worker_, &status, WNOHANG) != worker_) return;
  const auto dead = std::exchange(worker_, 0);
  const bool exited = WIFEXITED(status);
  const int code = exited ? WEXITSTATUS(status) : 1;
  if (exited && (!ready_ || ending_)) {
    exit_code_ = code;
    return;
  }
  const auto cause = exited ? fmt::format("worker {} exited with code {}", dead, code)
                            : fmt::format("worker {} killed by signal {} ({})", dead,
                                          WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  const auto where = place_of_death(flights_.read());
  if (!ready_ || ending_) {
    spdlog::error("{} {}", cause, where);
    exit_code_ = 1;
    return;
  }
  if (steady::now() - started_ >= pause_max) crashes_ = 0;
  const auto pause = pause_after(++crashes_);
  spdlog::error("{} {}; restart {} in {} ms", cause, where, crashes_, pause.count());
  next_ = steady::now() + pause;
}

}  // namespace bulkhead::cli
