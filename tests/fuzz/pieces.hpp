// What the fuzzers share: how an input is cut into pieces, and what happens when something is
// wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace bulkhead::fuzz {

// An invariant that a fuzzer found broken ends it, with the input kept.
inline void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "broken: %s\n", what);
    std::abort();
  }
}

inline bool is_inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// A copy of exactly these octets on the heap, at a new address: a sanitizer sees any read past it,
// and a view into an older copy shows.
class fresh_copy {
 public:
  explicit fresh_copy(std::string_view octets)
      : octets_(std::make_unique_for_overwrite<char[]>(octets.size())), size_(octets.size()) {
    if (size_ > 0) {
      std::memcpy(octets_.get(), octets.data(), size_);
    }
  }
  std::string_view view() const { return {octets_.get(), size_}; }

 private:
  std::unique_ptr<char[]> octets_;
  std::size_t size_;
};

// Cuts made of the input itself, so that whoever changes it changes them too.
class cutter {
 public:
  explicit cutter(std::string_view octets) {
    for (const char c : octets) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  // The size of the next piece, from 1; small ones are more frequent.
  std::size_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return 1 + state_ % (std::size_t{1} << (state_ >> 60));
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace bulkhead::fuzz
