// Landlock: what the calling thread can reach by path, whatever its root and its user are.
#pragma once

#include <span>
#include <string>

namespace bulkhead::sandbox {

// The version that the kernel has; 0: none.
int landlock_version();

// From now on the files below `readable` can be read and executed, those below `writable` read,
// made, written and removed, and nothing else opened, made or connected to; version 4 covers TCP, 6
// signals and abstract sockets. Needs no_new_privs; makes system calls only.
bool landlock(std::span<const std::string> readable, std::span<const std::string> writable = {});

}  // namespace bulkhead::sandbox
