// What the server needs to know of a WebAssembly module before anybody else reads it.
#pragma once

#include <string>
#include <string_view>

namespace bulkhead::sandbox {

// The core specification 1.0, section 5 (binary format), as far as it says what a module asks for
// and offers; whether its code is valid, wasm2c checks. Refused here is also what wasm2c 1.0.32
// would copy into its C source as it is: names with characters that could end a comment.
struct wasm_inspection {
  std::string error;  // empty: it keeps the contract
  unsigned import_modules = 0;
  bool has_initialize = false;
  bool uses_cpu_left = false;
};
wasm_inspection inspect(std::string_view module);

}  // namespace bulkhead::sandbox
