#include "tests/tls/memory.hpp"

#include <openssl/crypto.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace bulkhead::tests {
namespace {

std::atomic<std::size_t> blocks = 0;
std::atomic<std::size_t> bytes_in_use = 0;
thread_local arena* current = nullptr;

std::vector<const arena*>& arenas() {
  static std::vector<const arena*> all;
  return all;
}

constexpr std::size_t header_bytes = 16;  // the block's size, and OpenSSL's alignment

std::size_t& size_of(void* block) {
  return *reinterpret_cast<std::size_t*>(static_cast<char*>(block) - header_bytes);
}

void* allocate(std::size_t bytes, const char*, int) {
  if (bytes == 0) return nullptr;
  auto* raw = static_cast<char*>(current ? current->allocate(bytes + header_bytes)
                                         : std::malloc(bytes + header_bytes));
  if (!raw) return nullptr;
  auto* const block = raw + header_bytes;
  size_of(block) = bytes;
  ++blocks;
  bytes_in_use += bytes;
  return block;
}

bool is_in_arena(const void* block) {
  for (const auto* one : arenas())
    if (one->contains(block)) return true;
  return false;
}

void release(void* block, const char*, int) {
  if (!block) return;
  --blocks;
  bytes_in_use -= size_of(block);
  if (!is_in_arena(block)) std::free(static_cast<char*>(block) - header_bytes);
}

void* reallocate(void* block, std::size_t bytes, const char* file, int line) {
  if (!block) return allocate(bytes, file, line);
  if (bytes == 0) {
    release(block, file, line);
    return nullptr;
  }
  auto* const other = allocate(bytes, file, line);
  if (!other) return nullptr;
  std::memcpy(other, block, size_of(block) < bytes ? size_of(block) : bytes);
  release(block, file, line);
  return other;
}

// Before main(), since OpenSSL takes them only before its first allocation.
const bool taken = CRYPTO_set_mem_functions(allocate, reallocate, release) == 1;

}  // namespace

openssl_memory openssl_memory_in_use() {
  if (!taken) throw std::logic_error("OpenSSL had allocated before its memory was counted");
  return {blocks, bytes_in_use};
}

arena::arena()
    : begin_(static_cast<char*>(::mmap(nullptr, bytes_max, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
  if (begin_ == MAP_FAILED) throw std::bad_alloc();
  arenas().push_back(this);
}

arena::~arena() {
  std::erase(arenas(), this);
  ::munmap(begin_, bytes_max);
}

void arena::allow_all() const {
  ::mprotect(begin_, bytes_max, PROT_READ | PROT_WRITE);
}

void arena::allow_reading() const {
  ::mprotect(begin_, bytes_max, PROT_READ);
}

void arena::allow_nothing() const {
  ::mprotect(begin_, bytes_max, PROT_NONE);
}

void* arena::allocate(std::size_t bytes) {
  const auto rounded = (bytes + 15) / 16 * 16;
  if (rounded > bytes_max - used_) return nullptr;
  auto* const place = begin_ + used_;
  used_ += rounded;
  return place;
}

bool arena::contains(const void* place) const {
  const auto* at = static_cast<const char*>(place);
  return at >= begin_ && at < begin_ + bytes_max;
}

allocating_from::allocating_from(arena& from) : before_(current) {
  current = &from;
}

allocating_from::~allocating_from() {
  current = before_;
}

}  // namespace bulkhead::tests
