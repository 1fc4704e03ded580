// OpenSSL's memory, counted, and placed where it can be protected.
#pragma once

#include <cstddef>

namespace bulkhead::tests {

struct openssl_memory {
  std::size_t blocks;
  std::size_t bytes;
};

// What OpenSSL holds now, of the whole program, arenas included.
openssl_memory openssl_memory_in_use();

// Memory for one part of OpenSSL's objects. Nothing in it is used again after it was
// freed. Destroy it after its objects.
class arena {
 public:
  static constexpr std::size_t bytes_max = 64 * 1024 * 1024;

  arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena();

  // A violation ends the program.
  void allow_all() const;
  void allow_reading() const;
  void allow_nothing() const;

  void* allocate(std::size_t bytes);
  bool contains(const void* place) const;

 private:
  char* begin_;
  std::size_t used_ = 0;
};

// While it lives, what OpenSSL allocates on this thread comes from the arena.
class allocating_from {
 public:
  explicit allocating_from(arena& from);
  allocating_from(const allocating_from&) = delete;
  allocating_from& operator=(const allocating_from&) = delete;
  ~allocating_from();

 private:
  arena* before_;
};

}  // namespace bulkhead::tests
