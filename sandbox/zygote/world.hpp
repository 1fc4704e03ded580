// What the zygote takes from the system once, for itself and for all its workers.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sandbox/layers.hpp"
#include "sandbox/process/wire.hpp"
#include "sandbox/zygote/filter.hpp"

namespace bulkhead::sandbox::zygote {

struct world {
  layers held;
  std::vector<std::string> libraries;  // absolute paths
  std::uint32_t uid_first = 0;
  std::uint32_t uid_count = 0;
  program loading;
  program serving;
  // Of a worker at its birth; limits are counted from there.
  std::uint64_t address_bytes = 0;
  std::uint64_t data_bytes = 0;
  // The folder of the guests in the own root, writable through this descriptor only; -1: the root
  // is everybody's.
  int guests_fd = -1;
  // Where the C library keeps the thread's id; null: unknown.
  int* thread_id = nullptr;
};

// Takes each layer that is not in `wanted.without` and that the system has.
world make_world(const wire::setup& wanted);

// namespaces.cpp: a user namespace where the others need it, and the others.
void enter_namespaces(layers without, layers& held);
// own_root.cpp: needs a mount namespace of our own. -1: not possible, and nothing was changed that
// matters. Otherwise the descriptor of the writable folder of guests.
int enter_own_root(const std::vector<std::string>& libraries);
inline constexpr const char* guests_folder = "/guests";

}  // namespace bulkhead::sandbox::zygote
