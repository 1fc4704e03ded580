// What a connection begins with, before anything is built for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace bulkhead::tls {

enum class first_bytes : std::uint8_t {
  incomplete,  // not yet a whole record
  handshake,   // a whole first handshake record, RFC 8446 section 5.1
  like_http,   // a letter: a method of plain HTTP
  neither,
};

// A session that is silent, or drips its first record, costs only those bytes: no
// configuration, none of OpenSSL's 50 KiB for a handshake. That record has at most
// 16,389 bytes, and whoever reads the socket keeps them until it is whole.
first_bytes look_at(std::string_view bytes);

}  // namespace bulkhead::tls
