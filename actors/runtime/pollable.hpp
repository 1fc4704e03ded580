#pragma once

#include <cstdint>

namespace bulkhead::actors {

// Something with a descriptor that a reactor watches: a session, an acceptor,
// the reactor's own wake-up. One mechanism for sockets, eventfds and pidfds.
class pollable {
 public:
  // `events` as epoll reports them (EPOLLIN, EPOLLOUT, EPOLLRDHUP, …), edges only.
  // Called by the reactor, on its thread. False: user code that ran inside lost
  // the reactor to another thread, and the caller must not touch it again.
  virtual bool on_events(std::uint32_t events) = 0;

 protected:
  ~pollable() = default;
};

}  // namespace bulkhead::actors
