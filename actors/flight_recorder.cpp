#include "actors/flight_recorder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

namespace bulkhead::actors {

namespace {

// As many threads as a server may have: 256 reactors and 1024 spares. Pages that no
// thread writes cost nothing.
constexpr std::size_t slots_max = 1280;
constexpr std::size_t what_bytes_max = 112;

constexpr std::array fault_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

}  // namespace

// One a thread; written by it, read after its death.
struct flight_slot {
  std::atomic<std::uint64_t> request_id;
  std::atomic<int> signal;
  std::uint32_t what_bytes;
  std::array<char, what_bytes_max> what;
};

struct flight_recorder::page {
  std::atomic<std::size_t> used;
  std::array<flight_slot, slots_max> slots;
};

namespace {

std::atomic<std::size_t>* slots_used = nullptr;
flight_slot* slots = nullptr;
thread_local flight_slot* own_slot = nullptr;

flight_slot* slot_of_this_thread() {
  if (!own_slot && slots) {
    const auto index = slots_used->fetch_add(1, std::memory_order_relaxed);
    if (index < slots_max) own_slot = &slots[index];
  }
  return own_slot;
}

// Nothing but stores: the process may be in any state. The handler is gone by now
// (SA_RESETHAND), so the fault repeats and kills; a signal that was sent must be sent
// again.
extern "C" void note_fault(int number, siginfo_t* info, void*) {
  if (auto* mine = slot_of_this_thread()) mine->signal.store(number, std::memory_order_release);
  if (info->si_code <= 0) ::raise(number);
}

}  // namespace

flight_recorder::flight_recorder() {
  void* memory =
      ::mmap(nullptr, sizeof(page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "flight recorder");
  // The system gives zeros, which is what an empty page is: nothing is touched here.
  page_ = static_cast<page*>(memory);
}

flight_recorder::~flight_recorder() {
  ::munmap(page_, sizeof(page));
}

void flight_recorder::record_this_process() {
  slots_used = &page_->used;
  slots = page_->slots.data();
  struct sigaction action {};
  action.sa_sigaction = note_fault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (const int number : fault_signals) ::sigaction(number, &action, nullptr);
}

std::vector<flight_recorder::flight> flight_recorder::read() const {
  std::vector<flight> all;
  const auto used = std::min(page_->used.load(std::memory_order_acquire), slots_max);
  for (std::size_t i = 0; i < used; ++i) {
    const auto& from = page_->slots[i];
    flight one{from.request_id.load(std::memory_order_acquire), {}, from.signal.load()};
    if (one.request_id != 0)
      one.what.assign(from.what.data(), std::min<std::size_t>(from.what_bytes, what_bytes_max));
    if (one.request_id != 0 || one.signal != 0) all.push_back(std::move(one));
  }
  std::stable_partition(all.begin(), all.end(), [](const flight& f) { return f.signal != 0; });
  return all;
}

void flight_recorder::clear() {
  const auto used = std::min(page_->used.load(), slots_max);
  std::memset(static_cast<void*>(page_->slots.data()), 0, used * sizeof(flight_slot));
  page_->used = 0;
}

flight_note::flight_note(std::uint64_t request_id, std::string_view method,
                         std::string_view route) {
  auto* mine = slot_of_this_thread();
  if (!mine) return;
  const auto first = method.copy(mine->what.data(), what_bytes_max);
  std::size_t size = first;
  if (size < what_bytes_max) mine->what[size++] = ' ';
  size += route.copy(mine->what.data() + size, what_bytes_max - size);
  mine->what_bytes = static_cast<std::uint32_t>(size);
  mine->request_id.store(request_id, std::memory_order_release);
  request_id_ = &mine->request_id;
}

}  // namespace bulkhead::actors
