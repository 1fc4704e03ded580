#if defined(__AVX512VBMI2__)

#include <immintrin.h>

#include "protocol/scan/blocks.hpp"
#include "protocol/scan/classes.hpp"
#include "protocol/scan/variants.hpp"

namespace bulkhead::protocol::detail {

namespace {

// The classes of all octets below 0x80, for one instruction that looks 64 of them up.
struct alignas(64) ascii_table {
  std::uint8_t classes[128];
};

constexpr std::uint8_t token_bit = 1;
constexpr std::uint8_t control_bit = 2;

constexpr ascii_table tokens_and_controls = [] {
  ascii_table table{};
  for (unsigned octet = 0; octet < 0x80; ++octet) {
    const char c = static_cast<char>(octet);
    const bool line_end = c == '\r' || c == '\n';
    table.classes[octet] = is(class_token, c)               ? token_bit
                           : is(class_value, c) || line_end ? std::uint8_t{0}
                                                            : control_bit;
  }
  return table;
}();

constexpr auto indices = [] {
  struct alignas(64) bytes {
    std::uint8_t at[64];
  } numbers{};
  for (unsigned i = 0; i < 64; ++i) {
    numbers.at[i] = static_cast<std::uint8_t>(i);
  }
  return numbers;
}();

class block {
 public:
  class controls {
   public:
    void add(const block& other) { seen_ = _mm512_or_si512(seen_, other.classes_); }
    bool any() const { return _mm512_test_epi8_mask(seen_, _mm512_set1_epi8(control_bit)) != 0; }

   private:
    __m512i seen_ = _mm512_setzero_si512();
  };

  explicit block(const char* at) : block(_mm512_loadu_si512(at)) {}

  block_masks masks() const {
    return {_mm512_test_epi8_mask(classes_, _mm512_set1_epi8(token_bit)), equal('\r'), equal('\n'),
            0};
  }
  std::uint64_t control() const {
    return _mm512_test_epi8_mask(classes_, _mm512_set1_epi8(control_bit));
  }

  static block_masks last(const char* data, std::size_t size, std::size_t begin) {
    const block some(_mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, static_cast<unsigned>(size - begin)),
                                             data + begin));
    block_masks found = some.masks();
    found.control = some.control();
    return found;
  }

  static std::uint16_t* put(std::uint64_t marks, std::size_t base, std::uint16_t* to) {
    const auto count = static_cast<std::size_t>(_mm_popcnt_u64(marks));
    const __m512i at = _mm512_maskz_compress_epi8(marks, _mm512_load_si512(&indices));
    const __m256i bases = _mm256_set1_epi16(static_cast<short>(base));
    const __m128i first = _mm512_castsi512_si128(at);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_add_epi16(bases, _mm256_cvtepu8_epi16(first)));
    if (count > 16) [[unlikely]] {
      put_rest(at, static_cast<short>(base), to);
    }
    return to + count;
  }

 private:
  // Names and lines of one or two octets.
  [[gnu::noinline]] static void put_rest(__m512i at, short base, std::uint16_t* to) {
    const __m512i bases = _mm512_set1_epi16(base);
    const __m256i low = _mm512_castsi512_si256(at);
    const __m256i high = _mm512_extracti64x4_epi64(at, 1);
    _mm512_storeu_si512(to, _mm512_add_epi16(bases, _mm512_cvtepu8_epi16(low)));
    _mm512_storeu_si512(to + 32, _mm512_add_epi16(bases, _mm512_cvtepu8_epi16(high)));
  }

  explicit block(__m512i octets) : octets_(octets) {
    const __mmask64 ascii = ~_mm512_movepi8_mask(octets);
    classes_ =
        _mm512_maskz_permutex2var_epi8(ascii, _mm512_load_si512(tokens_and_controls.classes),
                                       octets, _mm512_load_si512(tokens_and_controls.classes + 64));
  }

  std::uint64_t equal(char c) const { return _mm512_cmpeq_epi8_mask(octets_, _mm512_set1_epi8(c)); }

  __m512i octets_;
  __m512i classes_;
};

}  // namespace

scan_result scan_avx512(const char* data, std::size_t size, scan_state& state,
                        std::uint16_t* positions) {
  return scan_blocks<block>(data, size, state, positions);
}

}  // namespace bulkhead::protocol::detail

#endif
