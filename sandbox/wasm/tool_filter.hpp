// System calls that no translator, compiler or linker makes, and who took one over might like.
#pragma once

namespace bulkhead::sandbox {

// For the calling process and all that it starts, for ever; no_new_privs must be set. Sockets,
// other processes' memory, mounts, namespaces, keys, modules and the kernel's newer machinery are
// refused with EPERM; other architectures' calls end the process. Calls nothing but the system.
// False: this system has no filters.
bool refuse_what_no_tool_needs();

}  // namespace bulkhead::sandbox
