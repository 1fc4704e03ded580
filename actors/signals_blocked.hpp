#pragma once

#include <csignal>
#include <initializer_list>

namespace bulkhead::actors {

// Threads made while one of these lives take no signal but those of their own
// faults: the rest belong to the threads of whoever embeds us, which may wait for
// them. SIGCHLD is left alone: while it has its default action the kernel drops it at once, but one
// that the parent thread blocks is kept, and interrupts other threads' calls for nothing.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t all;
    ::sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGCHLD})
      ::sigdelset(&all, fault);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace bulkhead::actors
