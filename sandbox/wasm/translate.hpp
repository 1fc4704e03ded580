// A WebAssembly module becomes a shared object: wasm2c, then the C compiler, both confined.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "sandbox/process/object.hpp"

namespace bulkhead::sandbox {

struct translation {
  std::string path;                    // of the object, in the cache
  std::shared_ptr<const object> code;  // the same octets, which are what was built; else nullptr
  std::string error;  // names the file, and what is wrong with it or which package is missing
};

// The cache is a folder that is made if it is not there and that nobody else may write to. An
// object is named after what it was made of, so it never changes and any process may make it at any
// time; old ones are never removed. One that is not what was built, by the digest at its end, is
// made again. Takes 1 to 2 s for one that is not there; any thread.
struct translation_order {
  std::string file;
  std::string cache;
  std::chrono::nanoseconds time_max;
};
translation translate(const translation_order& order);

}  // namespace bulkhead::sandbox
