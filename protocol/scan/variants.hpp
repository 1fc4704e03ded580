// What the sources for the instruction sets define; without them the program has none of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/scan/scanner.hpp"

namespace bulkhead::protocol::detail {

scan_result scan_ssse3(const char* data, std::size_t size, scan_state& state,
                       std::uint16_t* positions);
scan_result scan_avx2(const char* data, std::size_t size, scan_state& state,
                      std::uint16_t* positions);
scan_result scan_avx512(const char* data, std::size_t size, scan_state& state,
                        std::uint16_t* positions);

// Targets are short: more than 16 octets at once would not pay.
const char* skip_path_ssse3(const char* from, const char* end);
const char* skip_query_ssse3(const char* from, const char* end);

}  // namespace bulkhead::protocol::detail
