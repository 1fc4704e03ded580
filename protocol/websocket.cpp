#include "protocol/websocket.hpp"

#include <algorithm>
#include <cstring>

namespace bulkhead::protocol {

namespace {

// RFC 6455 section 5.2.
constexpr std::uint8_t op_continuation = 0;
constexpr std::uint8_t op_text = 1;
constexpr std::uint8_t op_binary = 2;
constexpr std::uint8_t op_close = 8;
constexpr std::uint8_t op_ping = 9;
constexpr std::uint8_t op_pong = 10;

constexpr std::size_t control_bytes_max = 125;
constexpr std::uint64_t length_in_2_octets = 126;
constexpr std::uint64_t length_in_8_octets = 65536;

// A message buffer of this size is kept for the next one; more is given back.
constexpr std::size_t kept_bytes_max = 4096;

void append_number(std::uint64_t number, unsigned octets, std::string& out) {
  while (octets > 0) out += static_cast<char>(number >> (8 * --octets));
}

void write_frame(std::uint8_t opcode, std::string_view payload, std::string& out) {
  constexpr unsigned final_frame = 0x80;
  out += static_cast<char>(final_frame | opcode);
  if (payload.size() < length_in_2_octets) {
    append_number(payload.size(), 1, out);
  } else if (payload.size() < length_in_8_octets) {
    append_number(126, 1, out);
    append_number(payload.size(), 2, out);
  } else {
    append_number(127, 1, out);
    append_number(payload.size(), 8, out);
  }
  out.append(payload);
}

// RFC 6455 section 5.3; `offset` is where in its frame the piece begins.
void unmask(std::string_view masked, const std::array<unsigned char, 4>& mask, std::uint64_t offset,
            char* to) {
  std::array<unsigned char, 8> key{};
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = mask[(offset + i) % 4];
  std::uint64_t keys = 0;
  std::memcpy(&keys, key.data(), sizeof keys);
  std::size_t at = 0;
  for (; masked.size() - at >= sizeof keys; at += sizeof keys) {
    std::uint64_t octets = 0;
    std::memcpy(&octets, masked.data() + at, sizeof octets);
    octets ^= keys;
    std::memcpy(to + at, &octets, sizeof octets);
  }
  for (; at < masked.size(); ++at)
    to[at] = static_cast<char>(static_cast<unsigned char>(masked[at]) ^ key[at % 8]);
}

std::string_view cut_behind_character(std::string_view text, std::size_t size_max) {
  if (text.size() <= size_max) return text;
  while (size_max > 0 && (static_cast<unsigned char>(text[size_max]) & 0xc0u) == 0x80) --size_max;
  return text.substr(0, size_max);
}

}  // namespace

// 1012 to 1014 were registered after the RFC.
bool websocket_code::may_be_sent(std::uint16_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

// --- receiving

websocket_event websocket_connection::next(std::string_view input, std::string& out) {
  const std::size_t size = input.size();
  if (delivered_) drop_message();
  while (!done_) {
    std::uint16_t wrong = 0;
    while (step_ != step::payload && wrong == 0) {
      if (input.empty()) return {websocket_event_kind::need_more, size};
      wrong = take_header(static_cast<unsigned char>(input.front()));
      input.remove_prefix(1);
    }
    if (wrong == 0) wrong = take_payload(input);
    if (wrong == 0 && taken_ < length_) return {websocket_event_kind::need_more, size};
    auto found = wrong == 0 ? end_frame(out) : refuse(wrong, out);
    found.consumed = size - input.size();
    if (found.kind != websocket_event_kind::need_more) return found;
  }
  return {websocket_event_kind::need_more, size};
}

std::uint16_t websocket_connection::take_header(unsigned char octet) {
  switch (step_) {
    case step::first:
      return take_first(octet);
    case step::second:
      return take_second(octet);
    case step::length:
      return take_length(octet);
    default:
      mask_[count_++] = octet;
      if (count_ == mask_.size()) step_ = step::payload;
      return 0;
  }
}

// RSV bits belong to extensions, and none was negotiated.
std::uint16_t websocket_connection::take_first(unsigned char octet) {
  opcode_ = octet & 0x0f;
  final_ = (octet & 0x80) != 0;
  if ((octet & 0x70) != 0 || (opcode_ > op_binary && opcode_ < op_close) || opcode_ > op_pong)
    return websocket_code::protocol_error;
  if (is_control()) {
    if (!final_) return websocket_code::protocol_error;
  } else if ((opcode_ == op_continuation) != (message_opcode_ != 0)) {
    return websocket_code::protocol_error;
  } else if (opcode_ != op_continuation) {
    message_opcode_ = opcode_;
    utf8_.reset();
  }
  step_ = step::second;
  return 0;
}

std::uint16_t websocket_connection::take_second(unsigned char octet) {
  const bool is_masked = (octet & 0x80) != 0;
  length_ = octet & 0x7f;
  if (!is_masked || (is_control() && length_ > control_bytes_max))
    return websocket_code::protocol_error;
  taken_ = 0;
  count_ = 0;
  if (length_ < 126) return check_length();
  length_octets_ = length_ == 126 ? 2 : 8;
  length_ = 0;
  step_ = step::length;
  return 0;
}

// RFC 6455 section 5.2: the shortest form, and in 8 octets no more than 63 bits.
std::uint16_t websocket_connection::take_length(unsigned char octet) {
  length_ = length_ << 8 | octet;
  if (++count_ < length_octets_) return 0;
  count_ = 0;
  if (length_ < (length_octets_ == 2 ? length_in_2_octets : length_in_8_octets) ||
      length_ >> 63 != 0)
    return websocket_code::protocol_error;
  return check_length();
}

std::uint16_t websocket_connection::check_length() {
  step_ = step::mask;
  if (is_control()) return 0;
  return length_ > bounds_.frame_bytes_max ||
                 length_ > bounds_.message_bytes_max -
                               std::min<std::uint64_t>(message_.size(), bounds_.message_bytes_max)
             ? websocket_code::message_too_big
             : std::uint16_t{0};
}

std::uint16_t websocket_connection::take_payload(std::string_view& input) {
  const auto piece = input.substr(0, std::min<std::uint64_t>(input.size(), length_ - taken_));
  input.remove_prefix(piece.size());
  const auto offset = taken_;
  taken_ += piece.size();
  if (is_control()) {
    unmask(piece, mask_, offset, control_.data() + offset);
    return 0;
  }
  if (close_sent_) return 0;  // nobody wants it any more
  const auto before = message_.size();
  message_.resize(before + piece.size());
  unmask(piece, mask_, offset, message_.data() + before);
  // At once, so that nobody has to send the rest of a text that is none (section 8.1).
  return message_opcode_ == op_text && !utf8_.take(std::string_view(message_).substr(before))
             ? websocket_code::invalid_payload
             : std::uint16_t{0};
}

websocket_event websocket_connection::end_frame(std::string& out) {
  step_ = step::first;
  if (is_control()) return end_control(out);
  if (!final_) return {};
  const bool is_text = message_opcode_ == op_text;
  message_opcode_ = 0;
  if (close_sent_) {
    drop_message();
    return {};
  }
  delivered_ = true;
  if (is_text && !utf8_.is_complete()) return refuse(websocket_code::invalid_payload, out);
  return {is_text ? websocket_event_kind::text : websocket_event_kind::binary, 0, message_};
}

websocket_event websocket_connection::end_control(std::string& out) {
  const std::string_view payload(control_.data(), length_);
  if (opcode_ == op_close) return take_close(payload, out);
  if (opcode_ == op_pong) return {websocket_event_kind::pong, 0, payload};
  if (!close_sent_) write_frame(op_pong, payload, out);
  return {};
}

websocket_event websocket_connection::take_close(std::string_view payload, std::string& out) {
  const auto octet = [&](std::size_t at) { return static_cast<unsigned char>(payload[at]); };
  if (payload.size() == 1) return refuse(websocket_code::protocol_error, out);
  std::uint16_t code = websocket_code::none;
  if (!payload.empty()) {
    code = static_cast<std::uint16_t>(octet(0) << 8 | octet(1));
    if (!websocket_code::may_be_sent(code)) return refuse(websocket_code::protocol_error, out);
  }
  const auto reason = payload.substr(std::min<std::size_t>(payload.size(), 2));
  utf8_checker checker;
  if (!checker.take(reason) || !checker.is_complete())
    return refuse(websocket_code::invalid_payload, out);
  if (!close_sent_) write_frame(op_close, payload.substr(0, 2), out);
  close_sent_ = done_ = true;
  return {websocket_event_kind::closed, 0, reason, code};
}

websocket_event websocket_connection::refuse(std::uint16_t code, std::string& out) {
  close(code, {}, out);
  done_ = true;
  return {websocket_event_kind::refused, 0, {}, code};
}

void websocket_connection::drop_message() {
  delivered_ = false;
  message_.clear();
  if (message_.capacity() > kept_bytes_max) std::string().swap(message_);
}

// --- sending

bool websocket_connection::send_text(std::string_view message, std::string& out) {
  if (close_sent_) return false;
  write_frame(op_text, message, out);
  return true;
}

bool websocket_connection::send_binary(std::string_view message, std::string& out) {
  if (close_sent_) return false;
  write_frame(op_binary, message, out);
  return true;
}

bool websocket_connection::send_ping(std::string_view payload, std::string& out) {
  if (close_sent_ || payload.size() > control_bytes_max) return false;
  write_frame(op_ping, payload, out);
  return true;
}

bool websocket_connection::close(std::uint16_t code, std::string_view reason, std::string& out) {
  if (close_sent_ || !websocket_code::may_be_sent(code)) return false;
  std::string payload;
  append_number(code, 2, payload);
  payload.append(cut_behind_character(reason, control_bytes_max - 2));
  write_frame(op_close, payload, out);
  close_sent_ = true;
  return true;
}

}  // namespace bulkhead::protocol
