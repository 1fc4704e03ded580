#if defined(__AVX2__)

#include <immintrin.h>

#include "protocol/scan/blocks.hpp"
#include "protocol/scan/classes.hpp"
#include "protocol/scan/variants.hpp"

namespace bulkhead::protocol::detail {

namespace {

constexpr half_tables tokens_and_controls = token_and_control_tables();

__m256i load(const char* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

__m256i both(const std::array<std::uint8_t, 16>& table) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&table)));
}

std::uint64_t bits(__m256i truths) {
  return static_cast<unsigned>(_mm256_movemask_epi8(truths));
}

// What 32 octets say, in the lower half of a mask.
struct half_block {
  __m256i octets;
  __m256i classes;  // 0 outside both classes

  explicit half_block(const char* at) : octets(load(at)) {
    const __m256i upper_halves =
        _mm256_and_si256(_mm256_srli_epi16(octets, 4), _mm256_set1_epi8(15));
    classes = _mm256_and_si256(_mm256_shuffle_epi8(both(tokens_and_controls.lower), octets),
                               _mm256_shuffle_epi8(both(tokens_and_controls.upper), upper_halves));
  }

  std::uint64_t equal(char c) const { return bits(_mm256_cmpeq_epi8(octets, _mm256_set1_epi8(c))); }
  std::uint64_t token() const {
    return bits(_mm256_cmpeq_epi8(classes, _mm256_setzero_si256())) ^ 0xffffffff;
  }
  std::uint64_t control() const {
    const __m256i controls =
        _mm256_and_si256(classes, _mm256_set1_epi8(static_cast<char>(control_bits)));
    return bits(_mm256_cmpeq_epi8(controls, _mm256_setzero_si256())) ^ 0xffffffff;
  }
};

class block {
 public:
  class controls {
   public:
    void add(const block& other) {
      seen_ = _mm256_or_si256(seen_, _mm256_or_si256(other.low_.classes, other.high_.classes));
    }
    bool any() const {
      return _mm256_testz_si256(seen_, _mm256_set1_epi8(static_cast<char>(control_bits))) == 0;
    }

   private:
    __m256i seen_ = _mm256_setzero_si256();
  };

  explicit block(const char* at) : block(at, at + 32) {}

  block_masks masks() const { return together(32, 0); }
  std::uint64_t control() const { return low_.control() | high_.control() << 32; }

  static block_masks last(const char* data, std::size_t size, std::size_t begin) {
    if (size >= 64) {
      const block whole(data + size - 64);
      block_masks found = whole.masks();
      found.control = whole.control();
      return without_first(found, 64 - (size - begin));
    }
    if (size >= 32) {
      const block parts(data, data + size - 32);
      const std::size_t shift = size - 32;
      const std::uint64_t control = parts.low_.control() | parts.high_.control() << shift;
      return without_first(parts.together(shift, control), begin);
    }
    return without_first(look_at_few(data, size), begin);
  }

  // Four at a time without asking how many there are: most blocks have up to four.
  static std::uint16_t* put(std::uint64_t marks, std::size_t base, std::uint16_t* to) {
    std::uint16_t* const end = to + _mm_popcnt_u64(marks);
    const auto take = [&marks, base] {
      const auto at = _tzcnt_u64(marks);
      marks = _blsr_u64(marks);
      return static_cast<std::uint16_t>(base + at);
    };
    do {
      to[0] = take();
      to[1] = take();
      to[2] = take();
      to[3] = take();
      to += 4;
    } while (to < end);
    return end;
  }

 private:
  block(const char* low, const char* high) : low_(low), high_(high) {}

  // Not inlined: the array would make every scan check its stack.
  [[gnu::noinline]] static block_masks look_at_few(const char* data, std::size_t size) {
    alignas(32) char copy[32] = {};
    __builtin_memcpy(copy, data, size);
    const half_block part(copy);
    return {part.token(), part.equal('\r'), part.equal('\n'), part.control()};
  }

  block_masks together(std::size_t shift, std::uint64_t control) const {
    return {low_.token() | high_.token() << shift, low_.equal('\r') | high_.equal('\r') << shift,
            low_.equal('\n') | high_.equal('\n') << shift, control};
  }

  half_block low_;
  half_block high_;
};

}  // namespace

scan_result scan_avx2(const char* data, std::size_t size, scan_state& state,
                      std::uint16_t* positions) {
  return scan_blocks<block>(data, size, state, positions);
}

}  // namespace bulkhead::protocol::detail

#endif
