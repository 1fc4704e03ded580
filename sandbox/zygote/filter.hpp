// Which system calls a worker may make.
#pragma once

#include <linux/filter.h>

#include <vector>

namespace bulkhead::sandbox::zygote {

using program = std::vector<sock_filter>;

// While the guest is loaded and its constructors run: `serving`, and what the dynamic linker needs
// to read files, and one more filter. This is the border: a hostile constructor never gives the
// worker the chance to install the second one.
// Empty: this system has no seccomp, or libseccomp failed.
program loading_filter();

// From then on; no files, no executable memory.
program serving_filter();

// For the calling thread, for ever; no_new_privs must be set. Filters add up, the strictest wins.
// The programs hold a placeholder for the caller's own process id, so that it may signal itself.
bool install(program filter);

// Whether the kernel takes filters at all; installs nothing.
bool has_seccomp();

}  // namespace bulkhead::sandbox::zygote
