// What the tests of WebAssembly share: small limits, one question, what must be left as it was.
#pragma once

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "sandbox/wasm/executor.hpp"
#include "tests/sandbox/house.hpp"

namespace bulkhead::tests {

// Translated once a build: the cache is the build's.
sandbox::wasm_settings small_module(const std::string& file = guests + "hostile.wasm");
// Throws std::runtime_error when it is refused.
std::unique_ptr<sandbox::wasm_executor> load(const sandbox::wasm_settings& settings);
std::string refusal_of(const sandbox::wasm_settings& settings);
outcome ask(sandbox::wasm_executor& of, std::string_view target, std::string_view content = {});

// A module from its text, by wat2wasm; the path.
std::string assembled(std::string_view text);

struct holdings {
  belongings all;
  std::size_t threads;
  std::size_t reservations;  // mappings of nearly 8 GiB, which only instances have
  bool operator==(const holdings&) const = default;
};
inline std::ostream& operator<<(std::ostream& to, const holdings& all) {
  return to << all.all.descriptors << " descriptors, " << all.all.children << " children, "
            << all.threads << " threads, " << all.reservations << " reservations";
}
holdings count_holdings();

// Threads that ask for "/ok" meanwhile, and what became of that.
class neighbours {
 public:
  explicit neighbours(sandbox::wasm_executor& of, unsigned count = 2);
  ~neighbours();
  // Ends them. Each got its answer each time, and each more than once.
  bool were_undisturbed();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace bulkhead::tests
