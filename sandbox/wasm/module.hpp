// A translated module in this process: its code, and what each instance of it begins as.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sandbox/outcome.hpp"
#include "sandbox/process/object.hpp"
#include "sandbox/wasm/glue/module.h"
#include "sandbox/wasm/instance.hpp"
#include "sandbox/wasm/settings.hpp"

namespace bulkhead::sandbox {

// Immutable once it is loaded: any thread. Outlives its instances.
class wasm_module {
 public:
  struct loaded;
  // `file` is what translate() made: trusted to be that. A copy in memory, so that nothing which
  // happens to the cache reaches code that runs. Runs the module's constructors on this
  // thread, within load_max; a watchdog must be held. Throws std::bad_alloc.
  static loaded load(std::shared_ptr<const object> file, const wasm_settings& settings);
  wasm_module(const wasm_module&) = delete;
  wasm_module& operator=(const wasm_module&) = delete;
  ~wasm_module();

  const bulkhead_wasm_module& code() const { return *code_; }
  const wasm_image& image() const { return image_; }
  std::uint32_t response_bytes_max() const { return response_bytes_max_; }
  std::uintptr_t text_begin() const { return text_begin_; }
  std::uintptr_t text_end() const { return text_end_; }

  // "access out of bounds in NAME+0x12", for a call that did not return.
  std::string describe(landing how, const wasm_frame& frame) const;
  // Where that was; nothing in an import.
  fault_site site_of(landing how, const wasm_frame& frame) const;

 private:
  struct symbol {
    std::uintptr_t begin, end;
    std::string name;
  };

  wasm_module() = default;
  std::string open();
  void find_text();
  void read_symbols();
  std::string make_image(const wasm_settings& settings);
  std::string name_of(std::uintptr_t pc) const;
  std::string path() const;

  // Kept: the loader takes the same name for the same object, and the name is its number.
  std::shared_ptr<const object> file_;
  void* handle_ = nullptr;
  const bulkhead_wasm_module* code_ = nullptr;
  std::uintptr_t base_ = 0;
  std::uintptr_t text_begin_ = 0, text_end_ = 0;
  std::uint32_t response_bytes_max_ = 0;
  std::vector<symbol> symbols_;
  wasm_image image_;
};

struct wasm_module::loaded {
  std::shared_ptr<const wasm_module> value;
  std::string error;
};

// For imports.cpp: the number of a function type of the module that this thread loads; equal types
// have the same one, from 1 on.
std::uint32_t register_wasm_type(std::span<const std::uint32_t> kinds, std::uint32_t params);

}  // namespace bulkhead::sandbox
