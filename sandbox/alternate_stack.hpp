#pragma once

#include <sys/mman.h>

#include <csignal>
#include <cstddef>

namespace bulkhead::sandbox {

// A stack for this thread's signal handlers, without which none could run after the
// thread's own has overflowed. Keeps one that is there already, such as a sanitizer's.
class alternate_stack {
 public:
  alternate_stack() {
    stack_t there{};
    if (::sigaltstack(nullptr, &there) != 0 || !(there.ss_flags & SS_DISABLE)) return;
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    own_ = {.ss_sp = memory, .ss_flags = 0, .ss_size = bytes};
    ::sigaltstack(&own_, nullptr);
  }
  ~alternate_stack() {
    if (!own_.ss_sp) return;
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    ::sigaltstack(&none, nullptr);
    ::munmap(own_.ss_sp, bytes);
  }
  alternate_stack(const alternate_stack&) = delete;
  alternate_stack& operator=(const alternate_stack&) = delete;

 private:
  // The saved state of a CPU with AVX-512 takes above 3 KiB of it.
  static constexpr std::size_t bytes = 32 * 1024;
  stack_t own_{};
};

}  // namespace bulkhead::sandbox
