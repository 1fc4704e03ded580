#include "protocol/field_rules.hpp"

#include "protocol/authority.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::uint64_t unrepresentable = UINT64_MAX;

// A decimal number of 1*DIGIT without leading zeros, which some read as octal. Numbers too large
// for 64 bits come out as `unrepresentable`, which no limit allows.
error parse_length(std::string_view text, std::uint64_t& length) {
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  if (text.empty() || leading_zero || !is_all(class_digit, text)) {
    return error::bad_content_length;
  }
  length = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (length > (unrepresentable - digit) / 10) {
      length = unrepresentable;
      return error::none;
    }
    length = length * 10 + digit;
  }
  return error::none;
}

// The coding's name, when the member is a token with or without parameters.
bool is_coding(std::string_view member) {
  return is_token(trim_blanks(member.substr(0, member.find(';'))));
}

}  // namespace

// By length, because no two of these names share one: one comparison for a field that matters, none
// for most others.
error field_rules::note(request_head& head, std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 4:
      return is_word(name, "host") ? note_host(head, value) : error::none;
    case 6:
      return is_word(name, "expect") ? note_expect(head, value) : error::none;
    case 7:
      return is_word(name, "upgrade") ? note_upgrade(head, value) : error::none;
    case 10:
      return is_word(name, "connection") ? note_connection(head, value) : error::none;
    case 14:
    case 17:
      return note_framing(head, name, value);
    default:
      return error::none;
  }
}

error field_rules::note(response_head& head, std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 7:
      return is_word(name, "upgrade") ? note_upgrade(head, value) : error::none;
    case 10:
      return is_word(name, "connection") ? note_connection(head, value) : error::none;
    case 14:
    case 17:
      if (const error why = note_framing(head, name, value); head.framing_fault_ == error::none) {
        head.framing_fault_ = why;
      }
      return error::none;
    default:
      return error::none;
  }
}

error field_rules::note_framing(message_head& head, std::string_view name, std::string_view value) {
  if (is_word(name, "content-length")) {
    return note_content_length(head, value);
  }
  return is_word(name, "transfer-encoding") ? note_transfer_encoding(head, value) : error::none;
}

error field_rules::note_host(request_head& head, std::string_view value) {
  if (head.has_host_) {
    return error::repeated_host;
  }
  head.has_host_ = true;
  if (!is_host_and_port(value)) {
    return error::bad_host;
  }
  if (head.authority_.end == 0) {  // absolute-form wins, RFC 9112 section 3.2.2
    head.authority_ = head.slice_of(value);
  }
  return error::none;
}

error field_rules::note_content_length(message_head& head, std::string_view value) {
  if (head.has_content_length_) {
    return error::repeated_content_length;
  }
  head.has_content_length_ = true;
  return parse_length(value, head.content_length_);
}

// Several lines are one list, so what an earlier line said still counts.
error field_rules::note_transfer_encoding(message_head& head, std::string_view value) {
  head.has_transfer_encoding_ = true;
  if (value.empty() || value.back() == ',') {
    return error::bad_transfer_encoding;
  }
  while (!value.empty()) {
    const std::string_view member = take_member(value);
    if (head.chunked_ || !is_coding(member)) {
      return error::bad_transfer_encoding;
    }
    if (!is_word(member, "chunked")) {
      return error::unsupported_transfer_coding;
    }
    head.chunked_ = true;
  }
  return error::none;
}

error field_rules::note_connection(message_head& head, std::string_view value) {
  while (!value.empty()) {
    const std::string_view option = take_member(value);
    if (!is_all(class_token, option)) {
      return error::bad_connection;
    }
    head.option_close_ |= is_word(option, "close");
    head.option_keep_alive_ |= is_word(option, "keep-alive");
    head.option_upgrade_ |= is_word(option, "upgrade");
  }
  return error::none;
}

error field_rules::note_expect(request_head& head, std::string_view value) {
  if (head.minor_version_ == 0) {  // to be ignored, RFC 9110 section 10.1.1
    return error::none;
  }
  while (!value.empty()) {
    const std::string_view expectation = take_member(value);
    if (is_word(expectation, "100-continue")) {
      head.expects_continue_ = true;
    } else if (!expectation.empty()) {
      return error::unmet_expectation;
    }
  }
  return error::none;
}

error field_rules::note_upgrade(message_head& head, std::string_view value) {
  if (head.upgrade_.end == 0) {
    head.upgrade_ = head.slice_of(value);
  }
  return error::none;
}

error field_rules::conclude(const request_head& head, const limits& bounds) {
  if (!head.has_host_ && head.minor_version_ > 0) {
    return error::missing_host;
  }
  if (const error why = conclude_framing(head); why != error::none) {
    return why;
  }
  return head.content_length_ > bounds.content_bytes_max ? error::content_too_large : error::none;
}

// With a fault, neither field says anything.
void field_rules::conclude(response_head& head) {
  if (head.framing_fault_ == error::none) {
    head.framing_fault_ = conclude_framing(head);
  }
  if (head.framing_fault_ != error::none) {
    head.has_content_length_ = head.chunked_ = false;
  }
}

error field_rules::conclude_framing(const message_head& head) {
  if (!head.has_transfer_encoding_) {
    return error::none;
  }
  if (head.has_content_length_) {
    return error::both_framings;
  }
  return head.minor_version_ == 0 ? error::transfer_encoding_in_http10 : error::none;
}

}  // namespace bulkhead::protocol
