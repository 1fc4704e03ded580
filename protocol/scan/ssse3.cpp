#if defined(__SSSE3__)

#include <immintrin.h>

#include "protocol/scan/blocks.hpp"
#include "protocol/scan/classes.hpp"
#include "protocol/scan/variants.hpp"

namespace bulkhead::protocol::detail {

namespace {

constexpr half_tables tokens_and_controls = token_and_control_tables();
constexpr half_tables path = tables_of(part::path);
constexpr half_tables query = tables_of(part::query);

__m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

// Per octet the bits that its two halves have in common: 0 outside the class.
__m128i look_up(__m128i octets, const half_tables& tables) {
  const __m128i upper_halves = _mm_and_si128(_mm_srli_epi16(octets, 4), _mm_set1_epi8(15));
  return _mm_and_si128(_mm_shuffle_epi8(load(tables.lower.data()), octets),
                       _mm_shuffle_epi8(load(tables.upper.data()), upper_halves));
}

std::uint64_t bits(__m128i truths) {
  return static_cast<unsigned>(_mm_movemask_epi8(truths));
}

// What 16 octets say, in the lowest bits.
struct sixteen {
  __m128i octets;
  __m128i classes;

  explicit sixteen(const char* at)
      : octets(load(at)), classes(look_up(octets, tokens_and_controls)) {}

  std::uint64_t equal(char c) const { return bits(_mm_cmpeq_epi8(octets, _mm_set1_epi8(c))); }
  std::uint64_t token() const {
    return bits(_mm_cmpeq_epi8(classes, _mm_setzero_si128())) ^ 0xffff;
  }
  __m128i controls() const {
    return _mm_and_si128(classes, _mm_set1_epi8(static_cast<char>(control_bits)));
  }
  std::uint64_t control() const {
    return bits(_mm_cmpeq_epi8(controls(), _mm_setzero_si128())) ^ 0xffff;
  }
};

class block {
 public:
  class controls {
   public:
    void add(const block& other) {
      seen_ = _mm_or_si128(
          _mm_or_si128(seen_, other.a_.classes),
          _mm_or_si128(_mm_or_si128(other.b_.classes, other.c_.classes), other.d_.classes));
    }
    bool any() const {
      const __m128i seen = _mm_and_si128(seen_, _mm_set1_epi8(static_cast<char>(control_bits)));
      return bits(_mm_cmpeq_epi8(seen, _mm_setzero_si128())) != 0xffff;
    }

   private:
    __m128i seen_ = _mm_setzero_si128();
  };

  explicit block(const char* at) : a_(at), b_(at + 16), c_(at + 32), d_(at + 48) {}

  block_masks masks() const {
    return {together(a_.token(), b_.token(), c_.token(), d_.token()),
            together(a_.equal('\r'), b_.equal('\r'), c_.equal('\r'), d_.equal('\r')),
            together(a_.equal('\n'), b_.equal('\n'), c_.equal('\n'), d_.equal('\n')), 0};
  }
  std::uint64_t control() const {
    return together(a_.control(), b_.control(), c_.control(), d_.control());
  }

  static block_masks last(const char* data, std::size_t size, std::size_t begin) {
    if (size >= 64) {
      const block whole(data + size - 64);
      block_masks found = whole.masks();
      found.control = whole.control();
      return without_first(found, 64 - (size - begin));
    }
    block_masks found{};
    if (size < 16) {
      look_at_few(found, data, size);
      return without_first(found, begin);
    }
    for (std::size_t at = 0; at + 16 <= size; at += 16) {
      add(found, data + at, at);
    }
    add(found, data + size - 16, size - 16);
    return without_first(found, begin);
  }

  // Four at a time without asking how many there are: most blocks have up to four.
  static std::uint16_t* put(std::uint64_t marks, std::size_t base, std::uint16_t* to) {
    std::uint16_t* const end = to + __builtin_popcountll(marks);
    const auto take = [&marks, base] {
      // The top bit keeps the count defined when no bit is left.
      const auto at = static_cast<unsigned>(__builtin_ctzll(marks | 1ull << 63));
      marks &= marks - 1;
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
  static std::uint64_t together(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                std::uint64_t d) {
    return a | b << 16 | c << 32 | d << 48;
  }

  // Not inlined: the array would make every scan check its stack.
  [[gnu::noinline]] static void look_at_few(block_masks& found, const char* data,
                                            std::size_t size) {
    alignas(16) char copy[16] = {};
    __builtin_memcpy(copy, data, size);
    add(found, copy, 0);
  }

  static void add(block_masks& found, const char* from, std::size_t at) {
    const sixteen some(from);
    found.token |= some.token() << at;
    found.cr |= some.equal('\r') << at;
    found.lf |= some.equal('\n') << at;
    found.control |= some.control() << at;
  }

  sixteen a_;
  sixteen b_;
  sixteen c_;
  sixteen d_;
};

const char* skip_class(const char* from, const char* end, const half_tables& tables) {
  for (; end - from >= 16; from += 16) {
    const std::uint64_t outside =
        bits(_mm_cmpeq_epi8(look_up(load(from), tables), _mm_setzero_si128()));
    if (outside != 0) {
      return from + __builtin_ctzll(outside);
    }
  }
  for (; from != end; ++from) {
    const auto octet = static_cast<unsigned char>(*from);
    if (octet >= 0x80 || (tables.lower[octet & 15u] & tables.upper[octet >> 4]) == 0) {
      break;
    }
  }
  return from;
}

}  // namespace

scan_result scan_ssse3(const char* data, std::size_t size, scan_state& state,
                       std::uint16_t* positions) {
  return scan_blocks<block>(data, size, state, positions);
}

const char* skip_path_ssse3(const char* from, const char* end) {
  return skip_class(from, end, path);
}

const char* skip_query_ssse3(const char* from, const char* end) {
  return skip_class(from, end, query);
}

}  // namespace bulkhead::protocol::detail

#endif
