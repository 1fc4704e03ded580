#include "sandbox/outcome.hpp"

namespace bulkhead::sandbox {

const char* to_string(outcome_kind kind) {
  switch (kind) {
    case outcome_kind::response:
      return "response";
    case outcome_kind::exception:
      return "exception";
    case outcome_kind::trap:
      return "trap";
    case outcome_kind::crashed:
      return "crashed";
    case outcome_kind::deadline:
      return "deadline";
    case outcome_kind::out_of_memory:
      return "out_of_memory";
    case outcome_kind::protocol:
      return "protocol";
    case outcome_kind::overloaded:
      return "overloaded";
    case outcome_kind::gone:
      return "gone";
  }
  return "unknown";
}

}  // namespace bulkhead::sandbox
