#include "actors/cli/signals.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace bulkhead::cli {
namespace {

sigset_t taken(bool supervised) {
  sigset_t all;
  ::sigemptyset(&all);
  if (supervised) {
    ::sigaddset(&all, end_signal());
    ::sigaddset(&all, reload_signal());
  } else {
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1, SIGUSR2})
      ::sigaddset(&all, number);
  }
  return all;
}

}  // namespace

int end_signal() {
  return SIGRTMIN;
}

int reload_signal() {
  return SIGRTMIN + 1;
}

void block_signals() {
  for (const bool supervised : {false, true}) {
    const auto all = taken(supervised);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

signals::signals(bool supervised) {
  const auto all = taken(supervised);
  fd_.reset(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw std::system_error(errno, std::generic_category(), "signalfd");
}

int signals::wait(std::chrono::milliseconds time) {
  pollfd waited{fd_.get(), POLLIN, 0};
  if (::poll(&waited, 1, static_cast<int>(time.count())) <= 0) return 0;
  signalfd_siginfo signal;
  if (::read(fd_.get(), &signal, sizeof signal) != sizeof signal) return 0;
  const auto number = static_cast<int>(signal.ssi_signo);
  if (number == end_signal()) return SIGTERM;
  return number == reload_signal() ? SIGHUP : number;
}

}  // namespace bulkhead::cli
