// When to try again what has failed: ever more rarely, until it succeeds.
#pragma once

#include <algorithm>
#include <chrono>

namespace bulkhead::sandbox {

class back_off {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  // After the first failure `first`; doubles with each, up to `most`.
  back_off(std::chrono::nanoseconds first, std::chrono::nanoseconds most)
      : first_(first), most_(most) {}

  void failed(time_point now) {
    const auto doublings = std::min(failures_++, 20u);
    next_ = now + std::min(first_ * (1 << doublings), most_);
  }
  void succeeded() { *this = back_off(first_, most_); }

  bool is_failing() const { return failures_ > 0; }
  bool may_try(time_point now) const { return now >= next_; }
  // time_point::max(): it does not fail.
  time_point next() const { return is_failing() ? next_ : time_point::max(); }

 private:
  std::chrono::nanoseconds first_;
  std::chrono::nanoseconds most_;
  unsigned failures_ = 0;  // in a row
  time_point next_{};
};

}  // namespace bulkhead::sandbox
