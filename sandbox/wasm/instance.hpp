// A module's state: linear memory, tables, globals, and a stack to run on. One mapping:
//
//   guard | stack | guard | linear memory ... | room for request and response | ... 8 GiB | guard
//
// The room lies above every page that the module can ever have, so neither its allocator nor a
// reset knows of it. All that a guest's addresses can reach is the instance's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/wasm/glue/module.h"
#include "sandbox/wasm/settings.hpp"
#include "sandbox/wasm/switch.hpp"

namespace bulkhead::sandbox {

class wasm_module;

// Kinds of traps, as wasm-rt.h counts them.
inline constexpr std::uint32_t wasm_trap_out_of_bounds = 1, wasm_trap_unreachable = 5;
const char* wasm_trap_name(std::uint32_t kind);

inline constexpr std::uint64_t wasm_page_bytes = 64 * 1024;

// What an instance is reset to. Pointers in it are those of the instance that it was taken from.
struct wasm_image {
  struct table {
    std::size_t offset;  // in the state
    std::vector<bulkhead_wasm_function> elements;
  };
  std::vector<std::byte> state;
  std::vector<std::byte> memory;
  std::vector<std::uint32_t> written;  // pages of the processor's that are not all zeros
  std::size_t memory_offset = 0;       // in the state
  std::vector<table> tables;
  std::uintptr_t origin = 0;
};

// One call at a time, on any thread; the module outlives it. After a call that did not return it
// may only be destroyed.
class wasm_instance {
 public:
  // Null: no address space for it. Empty state: to be instantiated.
  static std::unique_ptr<wasm_instance> make(const wasm_module& of, const wasm_settings& settings);
  wasm_instance(const wasm_instance&) = delete;
  wasm_instance& operator=(const wasm_instance&) = delete;
  ~wasm_instance();

  // Its first code, for an image; false: it is refused, `why` says it.
  landing instantiate(wasm_frame& frame);
  wasm_image image() const;
  // As in the image, and the room without what the last request left there. False: no memory.
  bool reset(const wasm_image& to);

  // `request` fits. The result is in the frame, and a response in the room.
  landing call(wasm_frame& frame, std::string_view request);
  // What the guest said that it wrote.
  std::string_view response(std::uint32_t bytes);
  std::string_view log() const { return {log_.get(), log_bytes_}; }
  // In the present call: then a trap is want of memory.
  bool was_growth_refused() const { return was_growth_refused_; }
  const std::string& refusal() const { return refusal_; }

  std::uint64_t requests = 0;  // since it was as new

  // --- for imports.cpp, during a call

  // Null: not all of it is the guest's.
  std::uint8_t* memory(std::uint32_t at, std::uint64_t bytes);
  bool allocate_memory(bulkhead_wasm_memory& to, std::uint32_t initial, std::uint32_t max);
  std::uint32_t grow_memory(bulkhead_wasm_memory& which, std::uint32_t pages);
  bool allocate_table(bulkhead_wasm_table& to, std::uint32_t elements);
  // A line; dropped if it does not fit. And a part of one.
  void log(const char* text, std::uint32_t bytes);
  void write(const char* text, std::uint32_t bytes);
  std::uint64_t memory_bytes_max() const { return pages_max_ * wasm_page_bytes; }

 private:
  wasm_instance(const wasm_module& of, const wasm_settings& settings);
  bool map();
  landing run(wasm_frame& frame, const void* function, std::span<const std::uint64_t, 5> arguments);
  bool set_pages(std::uint64_t from, std::uint64_t to);
  void restore_memory(const wasm_image& from, bool is_new);
  void restore_tables(const wasm_image& from);

  const wasm_module& module_;
  const std::uint64_t pages_max_;
  const std::uint64_t stack_bytes_;
  const std::uint64_t request_room_;
  const std::uint64_t response_room_;
  const std::uint32_t table_elements_max_;
  const std::uint32_t log_bytes_max_;

  std::uint8_t* base_ = nullptr;
  std::uint8_t* stack_end_ = nullptr;
  std::uint8_t* linear_ = nullptr;
  std::unique_ptr<std::byte[]> state_;
  bulkhead_wasm_memory* memory_ = nullptr;  // in the state; null: none yet
  struct table {
    bulkhead_wasm_table* in_state;
    std::unique_ptr<bulkhead_wasm_function[]> elements;
  };
  std::vector<table> tables_;
  std::uint64_t table_elements_ = 0;
  std::unique_ptr<char[]> log_;
  std::uint32_t log_bytes_ = 0;
  std::uint32_t request_bytes_ = 0;
  std::uint32_t response_bytes_ = 0;
  bool was_growth_refused_ = false;
  std::string refusal_;
};

}  // namespace bulkhead::sandbox
