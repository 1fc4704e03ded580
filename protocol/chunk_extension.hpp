// The grammar of chunk extensions, one octet at a time.
//
// RFC 9112 section 7.1.1: *( BWS ";" BWS name [ BWS "=" BWS value ] ), the value a token or a
// quoted string. Extensions are checked and dropped: none has a meaning here, but lax readings of
// them have split requests in two.
#pragma once

#include <cstdint>

namespace bulkhead::protocol {

class chunk_extension {
 public:
  // Takes the octet behind the chunk size, or behind what feed() accepted before. False: malformed.
  bool feed(char c);

  // Whether the line may end here.
  bool may_end() const;

 private:
  enum class state : std::uint8_t {
    before_semicolon,  // blanks after the size
    before_name,
    name,
    after_name,  // blanks after a name
    before_value,
    token,
    quoted,
    escaped,
    after_quoted,
    after_value,  // blanks after a value
  };

  bool go(state next) {
    state_ = next;
    return true;
  }
  bool between(char c, state blanks);

  state state_ = state::before_semicolon;
};

}  // namespace bulkhead::protocol
