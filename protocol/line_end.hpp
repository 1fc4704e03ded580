// What a line end in the wrong place is called.
#pragma once

#include "protocol/error.hpp"

namespace bulkhead::protocol {

// Why a line end stands where something else was expected; `otherwise` when it is no line end.
constexpr error line_end_or(char c, error at_cr, error otherwise) {
  return c == '\n' ? error::bare_lf : c == '\r' ? at_cr : otherwise;
}

}  // namespace bulkhead::protocol
