// One parsed response head, in storage that is made once and used for every response.
//
// RFC 9112 section 4. Views and their lifetimes are those of message_head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/error.hpp"
#include "protocol/message_head.hpp"

namespace bulkhead::protocol {

class response_head : public message_head {
 public:
  // Room for `fields_max` field lines.
  explicit response_head(std::size_t fields_max) : message_head(fields_max) {}

  // 100 to 999. What is above 599 is invalid and counts as a 5xx (RFC 9110 section 15).
  std::uint16_t status() const { return status_; }

  // As sent: may be empty, may have octets from 0x80 up. Not to be acted upon.
  std::string_view reason() const { return at(reason_); }

  // Another head follows this one, RFC 9110 section 15.2. 101 is no interim response: it is the
  // last one before the other protocol.
  bool is_interim() const { return status_ < 200 && status_ != 101; }

  // What is wrong with Content-Length and Transfer-Encoding: it counts only where content may
  // follow, since they have to be ignored elsewhere (RFC 9112 section 6.3 items 1 and 2).
  error framing_fault() const { return framing_fault_; }

 private:
  friend class response_parser;
  friend class octet_response_parser;
  friend class field_rules;

  void clear() {
    message_head::clear();
    reason_ = {};
    status_ = 0;
    framing_fault_ = error::none;
  }

  slice reason_;
  std::uint16_t status_ = 0;
  error framing_fault_ = error::none;
};

}  // namespace bulkhead::protocol
