#include "actors/cli/signals.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace bulkhead::cli {
namespace {

sigset_t taken() {
  sigset_t all;
  ::sigemptyset(&all);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGUSR1}) ::sigaddset(&all, number);
  return all;
}

}  // namespace

void block_signals() {
  const auto all = taken();
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

signals::signals(pid_t only_from) : only_from_(only_from) {
  const auto all = taken();
  fd_.reset(::signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw std::system_error(errno, std::generic_category(), "signalfd");
}

int signals::wait(std::chrono::milliseconds time) {
  pollfd waited{fd_.get(), POLLIN, 0};
  if (::poll(&waited, 1, static_cast<int>(time.count())) <= 0) return 0;
  signalfd_siginfo signal;
  const auto got = ::read(fd_.get(), &signal, sizeof signal);
  if (got != sizeof signal) return 0;
  const auto sender = static_cast<pid_t>(signal.ssi_pid);
  return only_from_ == 0 || sender == only_from_ ? static_cast<int>(signal.ssi_signo) : 0;
}

}  // namespace bulkhead::cli
