// One sandbox: from the clone to its last request.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "sandbox/process/wire.hpp"
#include "sandbox/zygote/world.hpp"

namespace bulkhead::sandbox::zygote {

// The only descriptor that a guest ever holds besides those it opens while it is loaded.
inline constexpr int doorbell_fd = 3;

struct birth {
  wire::order order;
  int doorbell;
  int memory;
  int object;
  int control;        // the zygote's, to see whether the server still lives
  std::string guest;  // path in the own root; empty: load it from its descriptor
};

// In the new process. Every layer that the zygote promised must hold, else it ends with one of
// these codes and the guest is never touched.
enum refusal : int { no_memory_map = 120, no_user, no_limits, no_landlock, no_filter };
[[noreturn]] void live(const world& self, const birth& own);

// Takes the user and group id and gives up all others and all capabilities.
bool become(std::uint32_t id);
bool drop_capabilities();

// guest.cpp: loads the guest and answers requests until the process ends.
[[noreturn]] void serve(const wire::order& order, std::byte* memory, const std::string& path,
                        const program& serving_filter);

}  // namespace bulkhead::sandbox::zygote
