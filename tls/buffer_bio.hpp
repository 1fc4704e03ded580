// OpenSSL's BIO over the session's own buffers: no copy in between.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tls/openssl.hpp"

namespace bulkhead::tls {

// What one call of the engine may read, and where it writes.
struct wire {
  std::string_view in;         // the unread rest
  std::string* out = nullptr;  // null between calls: nothing to read, nowhere to write
  bool overran_memory = false;
};

// Reads from and appends to `through`, which must outlive it. Writing never blocks;
// reading an empty input asks to try again. Null: no memory.
bio_ptr make_buffer_bio(wire& through);

}  // namespace bulkhead::tls
