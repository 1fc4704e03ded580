// What a connection needs while it has something to do, and not while it is idle.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/request_head.hpp"

namespace bulkhead::worker {

struct workspace {
  static constexpr std::size_t input_bytes = 16 * 1024;
  static constexpr std::size_t room_bytes_min = 4 * 1024;
  static constexpr std::size_t padding_bytes = 64;  // vectorised parsers read behind the input

  explicit workspace(std::size_t fields_max) : head(fields_max), input(input_bytes) {}

  std::string_view unread() const { return {input.data() + begin, end - begin}; }

  // Free space behind the unread input. Of what is consumed the current head alone stays.
  std::span<char> room() {
    const auto kept = in_request ? head.size_bytes() : 0;
    if (begin > head_begin + kept || head_begin > 0) {
      std::memmove(input.data(), input.data() + head_begin, kept);
      std::memmove(input.data() + kept, input.data() + begin, end - begin);
      end = kept + (end - std::exchange(begin, kept));
      head_begin = 0;
    }
    if (input.size() - end < room_bytes_min + padding_bytes) input.resize(2 * input.size());
    if (in_request) head.rebase(input.data());
    return {input.data() + end, input.size() - padding_bytes - end};
  }

  void consume(std::size_t bytes) { begin += bytes; }
  void begin_request() {
    in_request = true;
    head_begin = begin - head.size_bytes();
  }
  void end_request() {
    in_request = false;
    head_begin = begin;
    content.clear();
  }
  // Nothing of one connection may reach the next one.
  bool is_empty() const {
    return begin == end && !in_request && out.empty() && body.empty() && sent == 0;
  }

  protocol::request_head head;
  std::vector<char> input;
  std::size_t begin = 0;  // of what is not consumed
  std::size_t end = 0;
  std::size_t head_begin = 0;  // of the current request
  bool in_request = false;
  std::string content;  // of the current request

  std::string out;       // octets of answers
  std::string body;      // behind `out`: content that is too large to be copied
  std::size_t sent = 0;  // of both
};

}  // namespace bulkhead::worker
