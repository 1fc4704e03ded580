// The zygote's program, which is part of this library.
#pragma once

#include <sys/types.h>

#include "sandbox/descriptor.hpp"

namespace bulkhead::sandbox {

// Starts it from memory, without an environment, with /dev/null as 0 to 2 and `control` as 3: it
// inherits neither memory nor descriptors nor signal handling. Its id; negative: -errno.
//
// Its parent, and that of all workers, is the calling thread: when that ends, they are killed.
pid_t run_zygote_program(const descriptor& control);

}  // namespace bulkhead::sandbox
