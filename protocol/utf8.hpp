// Whether octets are UTF-8, piece by piece.
//
// RFC 3629: no surrogates, nothing above U+10FFFF, no overlong form. No allocation.
#pragma once

#include <cstdint>
#include <string_view>

namespace bulkhead::protocol {

class utf8_checker {
 public:
  // The next piece, cut anywhere. False: an octet that no text can have here, and then only reset()
  // helps.
  bool take(std::string_view piece);

  // No character is cut in two.
  bool is_complete() const { return left_ == 0; }
  void reset() { *this = {}; }

 private:
  bool begin(unsigned char lead);

  std::uint8_t left_ = 0;  // octets of the character that are still to come
  std::uint8_t low_ = 0x80;
  std::uint8_t high_ = 0xbf;  // between which the next of them lies
};

}  // namespace bulkhead::protocol
