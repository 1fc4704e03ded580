#include "tls/first_bytes.hpp"

#include <cstddef>

#include "tls/record.hpp"

namespace bulkhead::tls {
namespace {

constexpr std::size_t header_bytes = 5;
constexpr char handshake_type = 22;
constexpr char major_version = 3;

bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

unsigned octet(char c) {
  return static_cast<unsigned char>(c);
}

}  // namespace

first_bytes look_at(std::string_view bytes) {
  if (bytes.empty()) return first_bytes::incomplete;
  if (is_letter(bytes[0])) return first_bytes::like_http;
  if (bytes[0] != handshake_type) return first_bytes::neither;
  if (bytes.size() > 1 && bytes[1] != major_version) return first_bytes::neither;
  if (bytes.size() < header_bytes) return first_bytes::incomplete;
  const unsigned record_bytes = octet(bytes[3]) << 8 | octet(bytes[4]);
  if (record_bytes == 0 || record_bytes > record_bytes_max) return first_bytes::neither;
  return bytes.size() < header_bytes + record_bytes ? first_bytes::incomplete
                                                    : first_bytes::handshake;
}

}  // namespace bulkhead::tls
