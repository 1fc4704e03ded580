// The requests of a client that await their response, in order: what their responses depend on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/limits.hpp"
#include "protocol/method.hpp"

namespace bulkhead::protocol {

struct pending_request {
  protocol::method method = protocol::method::unknown;
  bool asks_upgrade = false;
  bool is_last = false;  // it said Connection: close

  // Nothing of HTTP may follow it before its response: it asked for another protocol or a tunnel.
  bool may_switch() const { return asks_upgrade || method == protocol::method::connect; }
};

// A ring of fixed size. Only for use while it holds what is asked for.
class pending_requests {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == pipelined_requests_max; }

  const pending_request& front() const { return ring_[first_]; }

  void push(const pending_request& added) {
    ring_[(first_ + size_) % pipelined_requests_max] = added;
    ++size_;
  }
  void pop() {
    first_ = static_cast<std::uint8_t>((first_ + 1) % pipelined_requests_max);
    --size_;
  }

 private:
  std::array<pending_request, pipelined_requests_max> ring_{};
  std::uint8_t first_ = 0;
  std::uint8_t size_ = 0;
};

}  // namespace bulkhead::protocol
