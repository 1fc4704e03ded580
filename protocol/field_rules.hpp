// The few fields whose meaning decides how the connection goes on: routing, framing, options.
//
// RFC 9112 sections 3.2, 6 and 9.3; RFC 9110 sections 7.6.1, 7.8, 8.6 and 10.1.1. Only what has one
// reading is accepted. All other fields are opaque here.
#pragma once

#include <array>
#include <string_view>

#include "protocol/error.hpp"
#include "protocol/limits.hpp"
#include "protocol/message_head.hpp"
#include "protocol/request_head.hpp"
#include "protocol/response_head.hpp"

namespace bulkhead::protocol {

class field_rules {
 public:
  // The fields that note() does something with, in lower case. No two names have the same length.
  static constexpr std::array<std::string_view, 6> request_names{
      "host", "expect", "upgrade", "connection", "content-length", "transfer-encoding"};
  static constexpr std::array<std::string_view, 4> response_names{
      "upgrade", "connection", "content-length", "transfer-encoding"};

  // Notes in `head` what a field line means, or says why it is refused. Name and value are views
  // relative to the head's base. The line before the fields is known already. A response's framing
  // is not refused here: see response_head::framing_fault().
  static error note(request_head& head, std::string_view name, std::string_view value);
  static error note(response_head& head, std::string_view name, std::string_view value);

  // What can only be said about the whole field section.
  static error conclude(const request_head& head, const limits& bounds);
  static void conclude(response_head& head);

 private:
  // Not inlined: note() jumps to them with nothing saved, and most fields need none of them.
  [[gnu::noinline]] static error note_framing(message_head& head, std::string_view name,
                                              std::string_view value);
  [[gnu::noinline]] static error note_content_length(message_head& head, std::string_view value);
  [[gnu::noinline]] static error note_transfer_encoding(message_head& head, std::string_view value);
  [[gnu::noinline]] static error note_connection(message_head& head, std::string_view value);
  [[gnu::noinline]] static error note_upgrade(message_head& head, std::string_view value);
  [[gnu::noinline]] static error note_host(request_head& head, std::string_view value);
  [[gnu::noinline]] static error note_expect(request_head& head, std::string_view value);
  static error conclude_framing(const message_head& head);
};

}  // namespace bulkhead::protocol
