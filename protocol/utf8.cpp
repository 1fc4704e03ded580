#include "protocol/utf8.hpp"

#include <cstring>

namespace bulkhead::protocol {

namespace {

// Most text is ASCII: eight octets at a time, as far as that holds.
std::string_view skip_ascii(std::string_view text) {
  std::uint64_t octets = 0;
  while (text.size() >= sizeof octets) {
    std::memcpy(&octets, text.data(), sizeof octets);
    if ((octets & 0x8080808080808080) != 0) break;
    text.remove_prefix(sizeof octets);
  }
  return text;
}

}  // namespace

bool utf8_checker::take(std::string_view piece) {
  if (left_ == 0) piece = skip_ascii(piece);
  while (!piece.empty()) {
    const auto octet = static_cast<unsigned char>(piece.front());
    piece.remove_prefix(1);
    if (left_ == 0) {
      if (!begin(octet)) return false;
    } else if (octet < low_ || octet > high_) {
      return false;
    } else {
      low_ = 0x80;
      high_ = 0xbf;
      if (--left_ == 0) piece = skip_ascii(piece);
    }
  }
  return true;
}

// The table of RFC 3629 section 4: the second octet's range is what forbids overlong forms,
// surrogates and numbers too large.
bool utf8_checker::begin(unsigned char lead) {
  if (lead < 0x80) return true;
  if (lead < 0xc2 || lead > 0xf4) return false;
  left_ = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  if (lead == 0xe0) low_ = 0xa0;
  if (lead == 0xed) high_ = 0x9f;
  if (lead == 0xf0) low_ = 0x90;
  if (lead == 0xf4) high_ = 0x8f;
  return true;
}

}  // namespace bulkhead::protocol
