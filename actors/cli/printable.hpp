// What may stand in a line of text.
#pragma once

namespace bulkhead::cli {

constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace bulkhead::cli
