// The size of a record's content.
#pragma once

#include <cstddef>

namespace bulkhead::tls {

constexpr std::size_t record_bytes_max = 16 * 1024;  // RFC 8446 section 5.1

}  // namespace bulkhead::tls
