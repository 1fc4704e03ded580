#include "protocol/chunk_extension.hpp"

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

// qdtext or what a backslash may escape, RFC 9110 section 5.6.4: no controls except HTAB.
bool is_quotable(char c) {
  return is(class_value, c);
}

}  // namespace

// Between two parts of an extension: blanks, or the semicolon of the next one.
bool chunk_extension::between(char c, state blanks) {
  return c == ';' ? go(state::before_name) : is_blank(c) && go(blanks);
}

// One case a state of the grammar above.
bool chunk_extension::feed(char c) {
  switch (state_) {
    case state::before_semicolon:
      return between(c, state::before_semicolon);
    case state::before_name:
      return is_blank(c) || (is(class_token, c) && go(state::name));
    case state::name:
      if (is(class_token, c)) return true;
      [[fallthrough]];
    case state::after_name:
      return c == '=' ? go(state::before_value) : between(c, state::after_name);
    case state::before_value:
      if (c == '"') return go(state::quoted);
      return is_blank(c) || (is(class_token, c) && go(state::token));
    case state::token:
      return is(class_token, c) || between(c, state::after_value);
    case state::quoted:
      if (c == '"') return go(state::after_quoted);
      return c == '\\' ? go(state::escaped) : is_quotable(c);
    case state::escaped:
      return is_quotable(c) && go(state::quoted);
    case state::after_quoted:
    case state::after_value:
      return between(c, state::after_value);
  }
  return false;
}

bool chunk_extension::may_end() const {
  return state_ == state::name || state_ == state::token || state_ == state::after_quoted;
}

}  // namespace bulkhead::protocol
