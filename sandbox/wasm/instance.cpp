#include "sandbox/wasm/instance.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sandbox/wasm/module.hpp"

namespace bulkhead::sandbox {
namespace {

constexpr std::uint64_t guard_bytes = 64 * 1024;
constexpr std::size_t small_page_bytes = 4096;
// An address of 32 bits, an offset of 32 bits, and the width of an access.
constexpr std::uint64_t reach_bytes = (std::uint64_t{8} << 30) + guard_bytes;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + wasm_page_bytes - 1) / wasm_page_bytes * wasm_page_bytes;
}

bool make_accessible(std::uint8_t* at, std::uint64_t bytes) {
  return bytes == 0 || mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0;
}

}  // namespace

const char* wasm_trap_name(std::uint32_t kind) {
  constexpr const char* names[] = {"no trap",
                                   "access out of bounds",
                                   "integer overflow",
                                   "integer division by zero",
                                   "conversion of a number that has no integer",
                                   "unreachable",
                                   "indirect call of no such function",
                                   "exception that nobody catches",
                                   "stack exhausted"};
  return kind < std::size(names) ? names[kind] : "unknown trap";
}

wasm_instance::wasm_instance(const wasm_module& of, const wasm_settings& settings)
    : module_(of),
      pages_max_(settings.memory_bytes_max / wasm_page_bytes),
      stack_bytes_(whole_pages(settings.stack_bytes_max)),
      request_room_(whole_pages(settings.request_bytes_max)),
      response_room_(whole_pages(settings.response_bytes_max)),
      table_elements_max_(settings.table_elements_max),
      log_bytes_max_(settings.log_bytes_max),
      state_(new std::byte[of.code().instance_bytes]{}),
      log_(new char[settings.log_bytes_max]) {}

std::unique_ptr<wasm_instance> wasm_instance::make(const wasm_module& of,
                                                   const wasm_settings& settings) {
  std::unique_ptr<wasm_instance> made(new wasm_instance(of, settings));
  return made->map() ? std::move(made) : nullptr;
}

bool wasm_instance::map() {
  const auto bytes = guard_bytes + stack_bytes_ + guard_bytes + reach_bytes;
  auto* all = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) return false;
  base_ = static_cast<std::uint8_t*>(all);
  stack_end_ = base_ + guard_bytes + stack_bytes_;
  linear_ = stack_end_ + guard_bytes;
  return make_accessible(base_ + guard_bytes, stack_bytes_) &&
         make_accessible(linear_ + pages_max_ * wasm_page_bytes, request_room_ + response_room_);
}

wasm_instance::~wasm_instance() {
  if (base_) munmap(base_, guard_bytes + stack_bytes_ + guard_bytes + reach_bytes);
}

landing wasm_instance::run(wasm_frame& frame, const void* function,
                           std::span<const std::uint64_t, 5> arguments) {
  frame.instance = this;
  frame.text_begin = module_.text_begin();
  frame.text_end = module_.text_end();
  frame.memory_begin = reinterpret_cast<std::uintptr_t>(linear_);
  frame.memory_end = frame.memory_begin + reach_bytes;
  frame.guard_begin = reinterpret_cast<std::uintptr_t>(base_);
  frame.guard_end = frame.guard_begin + guard_bytes;
  return static_cast<landing>(bulkhead_wasm_enter(&frame, stack_end_, function, arguments.data()));
}

landing wasm_instance::instantiate(wasm_frame& frame) {
  const std::array<std::uint64_t, 5> arguments{reinterpret_cast<std::uint64_t>(state_.get())};
  const auto& code = module_.code();
  auto how = run(frame, reinterpret_cast<const void*>(code.instantiate), arguments);
  if (how == landing::none)
    how = run(frame, reinterpret_cast<const void*>(code.initialize), arguments);
  return how;
}

landing wasm_instance::call(wasm_frame& frame, std::string_view request) {
  request_bytes_ = static_cast<std::uint32_t>(request.size());
  response_bytes_ = 0;
  log_bytes_ = 0;
  was_growth_refused_ = false;
  const auto room = pages_max_ * wasm_page_bytes;
  std::memcpy(linear_ + room, request.data(), request.size());
  const std::array<std::uint64_t, 5> arguments{reinterpret_cast<std::uint64_t>(state_.get()), room,
                                               request.size(), room + request_room_,
                                               module_.response_bytes_max()};
  return run(frame, reinterpret_cast<const void*>(module_.code().handle), arguments);
}

std::string_view wasm_instance::response(std::uint32_t bytes) {
  response_bytes_ = bytes;
  return {reinterpret_cast<char*>(linear_ + pages_max_ * wasm_page_bytes + request_room_), bytes};
}

// --- images

wasm_image wasm_instance::image() const {
  wasm_image all;
  all.state.assign(state_.get(), state_.get() + module_.code().instance_bytes);
  const auto* memory = reinterpret_cast<const std::byte*>(linear_);
  all.memory.assign(memory, memory + memory_->pages * wasm_page_bytes);
  for (std::size_t at = 0; at < all.memory.size(); at += small_page_bytes)
    if (std::any_of(memory + at, memory + at + small_page_bytes,
                    [](std::byte one) { return one != std::byte{0}; }))
      all.written.push_back(static_cast<std::uint32_t>(at / small_page_bytes));
  all.memory_offset =
      static_cast<std::size_t>(reinterpret_cast<std::byte*>(memory_) - state_.get());
  for (const auto& one : tables_)
    all.tables.push_back(
        {static_cast<std::size_t>(reinterpret_cast<std::byte*>(one.in_state) - state_.get()),
         {one.elements.get(), one.elements.get() + one.in_state->size}});
  all.origin = reinterpret_cast<std::uintptr_t>(state_.get());
  return all;
}

bool wasm_instance::reset(const wasm_image& to) {
  const auto had_pages = memory_ ? memory_->pages : 0;
  const auto pages = to.memory.size() / wasm_page_bytes;
  if (had_pages != pages && !set_pages(had_pages, pages)) return false;
  restore_memory(to, memory_ == nullptr);
  std::memcpy(state_.get(), to.state.data(), to.state.size());
  memory_ = reinterpret_cast<bulkhead_wasm_memory*>(state_.get() + to.memory_offset);
  memory_->data = linear_;
  restore_tables(to);
  auto* room = linear_ + pages_max_ * wasm_page_bytes;
  std::memset(room, 0, request_bytes_);
  std::memset(room + request_room_, 0, response_bytes_);
  requests = 0;
  return true;
}

// A new one is all zeros, and each page that nobody touches saves a fault.
void wasm_instance::restore_memory(const wasm_image& from, bool is_new) {
  if (!is_new) {
    std::memcpy(linear_, from.memory.data(), from.memory.size());
    return;
  }
  for (const std::size_t page : from.written)
    std::memcpy(linear_ + page * small_page_bytes, from.memory.data() + page * small_page_bytes,
                small_page_bytes);
}

void wasm_instance::restore_tables(const wasm_image& from) {
  if (tables_.empty())
    for (const auto& one : from.tables)
      tables_.push_back(
          {nullptr,
           std::unique_ptr<bulkhead_wasm_function[]>(
               new bulkhead_wasm_function[std::max<std::size_t>(one.elements.size(), 1)])});
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const auto& pristine = from.tables[i];
    auto* elements = tables_[i].elements.get();
    for (std::size_t j = 0; j < pristine.elements.size(); ++j) {
      elements[j] = pristine.elements[j];
      // Somewhere in the state of the instance that the image was taken from.
      if (const auto theirs = reinterpret_cast<std::uintptr_t>(elements[j].instance); theirs != 0)
        elements[j].instance = state_.get() + (theirs - from.origin);
    }
    tables_[i].in_state = reinterpret_cast<bulkhead_wasm_table*>(state_.get() + pristine.offset);
    tables_[i].in_state->data = elements;
  }
}

bool wasm_instance::set_pages(std::uint64_t from, std::uint64_t to) {
  if (to > from)
    return make_accessible(linear_ + from * wasm_page_bytes, (to - from) * wasm_page_bytes);
  // Gone, and out of reach again, in one call.
  return mmap(linear_ + to * wasm_page_bytes, (from - to) * wasm_page_bytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// --- what the guest asks for

std::uint8_t* wasm_instance::memory(std::uint32_t at, std::uint64_t bytes) {
  const auto end = at + bytes;
  const auto room = pages_max_ * wasm_page_bytes;
  const bool is_linear = memory_ && end <= memory_->pages * wasm_page_bytes;
  const bool is_room = at >= room && end <= room + request_room_ + response_room_;
  return is_linear || is_room ? linear_ + at : nullptr;
}

bool wasm_instance::allocate_memory(bulkhead_wasm_memory& to, std::uint32_t initial,
                                    std::uint32_t max) {
  if (memory_ || initial > pages_max_ || !set_pages(0, initial)) {
    refusal_ = memory_ ? "a second memory"
                       : "its memory begins with " + std::to_string(initial) + " pages, " +
                             std::to_string(pages_max_) + " are allowed";
    return false;
  }
  // The size is what bulk operations are checked against, and the room belongs to it: what lies
  // between faults.
  const auto size = pages_max_ * wasm_page_bytes + request_room_ + response_room_;
  to = {linear_, initial, max, static_cast<std::uint32_t>(size)};
  memory_ = &to;
  return true;
}

std::uint32_t wasm_instance::grow_memory(bulkhead_wasm_memory& which, std::uint32_t pages) {
  const std::uint64_t before = which.pages;
  const auto most = std::min<std::uint64_t>(pages_max_, which.max_pages);
  if (before + pages > most || !set_pages(before, before + pages)) {
    was_growth_refused_ = true;
    return UINT32_MAX;
  }
  which.pages += pages;
  return static_cast<std::uint32_t>(before);
}

bool wasm_instance::allocate_table(bulkhead_wasm_table& to, std::uint32_t elements) {
  table_elements_ += elements;
  if (table_elements_ > table_elements_max_) {
    refusal_ = "its tables have more than " + std::to_string(table_elements_max_) + " elements";
    return false;
  }
  auto* made = new (std::nothrow) bulkhead_wasm_function[std::max(elements, 1u)]{};
  if (!made) return false;
  tables_.push_back({&to, std::unique_ptr<bulkhead_wasm_function[]>(made)});
  to = {made, elements, elements};
  return true;
}

void wasm_instance::log(const char* text, std::uint32_t bytes) {
  if (bytes >= log_bytes_max_ - log_bytes_) return;  // no place for it and its line feed
  write(text, bytes);
  write("\n", 1);
}

void wasm_instance::write(const char* text, std::uint32_t bytes) {
  if (bytes > log_bytes_max_ - log_bytes_) return;
  std::memcpy(log_.get() + log_bytes_, text, bytes);
  log_bytes_ += bytes;
}

}  // namespace bulkhead::sandbox
