// Which instructions heads are scanned with. Chosen once, before main(), as the processor and the
// operating system allow; all give the same verdicts.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace bulkhead::protocol {

enum class instruction_set : std::uint8_t {
  portable,  // octet by octet
  ssse3,
  avx2,
  avx512,  // with VBMI and VBMI2
};

inline constexpr std::array instruction_sets{instruction_set::portable, instruction_set::ssse3,
                                             instruction_set::avx2, instruction_set::avx512};

std::string_view name_of(instruction_set set);

// Whether this program and this machine can use it.
bool is_available(instruction_set set);

instruction_set chosen_instruction_set();

// For tests and benchmarks; the set must be available. Not while anybody parses.
void choose_instruction_set(instruction_set set);

}  // namespace bulkhead::protocol
