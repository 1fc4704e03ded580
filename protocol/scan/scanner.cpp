#include "protocol/scan/scanner.hpp"

#include <algorithm>

#include "protocol/scan/variants.hpp"

namespace bulkhead::protocol {

namespace {

// Without a function to scan with, heads are read octet by octet.
constexpr scanner portable{instruction_set::portable, nullptr, nullptr, nullptr};

#if defined(__x86_64__)
constexpr std::array scanners{portable,
                              scanner{instruction_set::ssse3, detail::scan_ssse3,
                                      detail::skip_path_ssse3, detail::skip_query_ssse3},
                              scanner{instruction_set::avx2, detail::scan_avx2,
                                      detail::skip_path_ssse3, detail::skip_query_ssse3},
                              scanner{instruction_set::avx512, detail::scan_avx512,
                                      detail::skip_path_ssse3, detail::skip_query_ssse3}};

// These answers know what the operating system saves, too.
bool has_instructions(instruction_set set) {
  __builtin_cpu_init();
  switch (set) {
    case instruction_set::portable:
      return true;
    case instruction_set::ssse3:
      return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
    case instruction_set::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("popcnt");
    case instruction_set::avx512:
      return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi") &&
             __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  }
  return false;
}
#else
constexpr std::array scanners{portable};

bool has_instructions(instruction_set set) {
  return set == instruction_set::portable;
}
#endif

const scanner* find_best() {
  return std::ranges::find_if(
             scanners.rbegin(), scanners.rend(),
             [](const scanner& candidate) { return has_instructions(candidate.set); })
             .base() -
         1;
}

}  // namespace

// Whoever parses before this has its value, from another source's initialisation, would do so
// without a scanner: so it is a constant first.
constinit const scanner* detail::chosen_scanner = &portable;

namespace {

[[maybe_unused]] const bool scanner_was_chosen = (detail::chosen_scanner = find_best(), true);

}  // namespace

std::string_view name_of(instruction_set set) {
  switch (set) {
    case instruction_set::portable:
      return "portable";
    case instruction_set::ssse3:
      return "SSSE3";
    case instruction_set::avx2:
      return "AVX2";
    case instruction_set::avx512:
      return "AVX-512";
  }
  return "unknown";
}

bool is_available(instruction_set set) {
  return has_instructions(set);
}

instruction_set chosen_instruction_set() {
  return detail::chosen_scanner->set;
}

void choose_instruction_set(instruction_set set) {
  detail::chosen_scanner = &scanners[static_cast<std::size_t>(set)];
}

}  // namespace bulkhead::protocol
