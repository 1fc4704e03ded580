// An owned file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace bulkhead::sandbox {

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
  descriptor& operator=(descriptor&& from) noexcept {
    std::swap(fd_, from.fd_);
    return *this;
  }
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() { descriptor().swap(*this); }

 private:
  void swap(descriptor& with) noexcept { std::swap(fd_, with.fd_); }

  int fd_ = -1;
};

}  // namespace bulkhead::sandbox
