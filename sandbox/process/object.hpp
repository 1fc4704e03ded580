// A guest's shared object, as it was when it was loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sandbox/descriptor.hpp"

namespace bulkhead::sandbox {

// A sealed copy in memory: all workers of a pool run the same octets, whatever happens to the file.
struct object {
  static constexpr std::size_t bytes_max = 256u << 20;

  struct loaded;
  // Nothing of it is looked at here: only a sandbox parses it.
  static loaded load(const std::string& path);

  std::uint64_t id = 0;  // never given twice in a process
  descriptor content;
};

struct object::loaded {
  std::shared_ptr<const object> value;
  std::string error;  // names the file
};

}  // namespace bulkhead::sandbox
