#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tls/buffer_bio.hpp"
#include "tls/error.hpp"

namespace bulkhead::tls {

// One call of an engine into OpenSSL: the caller's buffers are in reach for its duration, and
// nothing stays in the thread's error queue.
class engine_call {
 public:
  engine_call(wire& through, std::string_view input, std::string& out)
      : wire_(through), size_(input.size()) {
    wire_ = {input, &out};
    clear_errors();
  }
  engine_call(const engine_call&) = delete;
  engine_call& operator=(const engine_call&) = delete;
  ~engine_call() {
    wire_ = {};
    clear_errors();
  }
  std::size_t consumed() const { return size_ - wire_.in.size(); }

 private:
  wire& wire_;
  std::size_t size_;
};

}  // namespace bulkhead::tls
