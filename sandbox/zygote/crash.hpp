// What a worker still says when it crashes: where. A courtesy of the dying, in its own memory and
// with its own rights, so that nobody else has to parse a stranger's object.
#pragma once

#include <string>

#include "sandbox/process/shared_memory.hpp"

namespace bulkhead::sandbox::zygote {

// Symbols of larger objects are not looked up. Only pages that a crash needs are ever read.
inline constexpr std::size_t symbols_bytes_max = 32u << 20;

// Before the guest is loaded from `object`; an alternate stack must be there. From then on SIGSEGV,
// SIGBUS, SIGFPE, SIGILL and SIGABRT leave a word in `page` and end the process: a fault by its
// signal, what the process sent to itself with the code 128 + signal, since the first process of a
// PID namespace does not die of its own signals.
void tell_crashes(shared_page& page, const std::string& object);

}  // namespace bulkhead::sandbox::zygote
