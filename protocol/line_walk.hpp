// The second stage of parsing a head: walks the positions that a scan found, and takes the lines
// apart between them. RFC 9112 section 5.
//
// Only for heads in order. Whatever may be a fault is a doubt, for the octet parsers to judge; so
// that this needs no opinion on what is wrong, nor on what was wrong first. Shared by both kinds of
// heads, hence a template.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "protocol/error.hpp"
#include "protocol/field_rules.hpp"
#include "protocol/scan/scanner.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

class line_walk {
 public:
  enum class verdict : std::uint8_t {
    need_more,
    end,                    // of the head
    first_line_unfinished,  // nothing was kept of it
    doubt,                  // final
  };

  // At a head's first octet.
  line_walk() = default;

  // At the beginning of a line that is not the head's first.
  explicit line_walk(std::size_t line_begin) : line_begin_(static_cast<std::uint16_t>(line_begin)) {
    scan_.block = scan_.reported = line_begin_;
  }

  bool is_at_first_line() const { return line_begin_ == 0; }

  // Adds to `head` the fields of all lines that have become whole. `input` begins with the head,
  // and is no longer than a head may be. `take_first_line(token_end, lf)` takes that line apart and
  // says whether it is free of doubt: where the token at its beginning and the line itself end.
  template <class Head, class FirstLine>
  verdict next(std::string_view input, std::size_t name_bytes_max, Head& head,
               FirstLine take_first_line);

  // Where the line begins that is not whole yet.
  std::size_t line_begin() const { return line_begin_; }

 private:
  // A name's end is kept while its line is not whole. 0: there is none yet.
  verdict end_head(std::string_view input) const {
    if (input.size() - line_begin_ < 2) {
      return verdict::need_more;
    }
    return input[line_begin_ + 1u] == '\n' ? verdict::end : verdict::doubt;
  }

  static bool is_blank_or_end(char c) { return static_cast<unsigned char>(c) <= ' '; }

  struct value_part {
    std::size_t begin;
    std::size_t end;
  };

  [[gnu::noinline]] static value_part trim(const char* data, value_part value) {
    while (value.begin != value.end && is_blank(data[value.begin])) {
      ++value.begin;
    }
    while (value.begin != value.end && is_blank(data[value.end - 1])) {
      --value.end;
    }
    return value;
  }

  template <class Head>
  [[gnu::noinline]] bool take_fields(const char* data, const std::uint16_t* at, std::size_t lines,
                                     std::size_t name_bytes_max, Head& head);

  scan_state scan_;
  std::uint16_t line_begin_ = 0;
  std::uint16_t name_end_ = 0;
};

namespace detail {

// The last four octets of each name that means something, where its length leads: one comparison
// tells nearly all other names apart. The octets are in lower case as far as `| 0x20` does that.
template <class Names>
constexpr std::array<std::uint32_t, 32> tails_of(const Names& names) {
  std::array<std::uint32_t, 32> tails{};
  for (const std::string_view name : names) {
    std::array<char, 4> tail{};
    for (std::size_t i = 0; i < 4; ++i) {
      tail[i] = static_cast<char>(name[name.size() - 4 + i] | 0x20);
    }
    tails[name.size()] = std::bit_cast<std::uint32_t>(tail);
  }
  return tails;
}

template <class Head>
inline constexpr auto known_tails = tails_of(field_rules::response_names);
template <>
inline constexpr auto known_tails<request_head> = tails_of(field_rules::request_names);

template <class Number>
Number load(const char* from) {
  Number number;
  std::memcpy(&number, from, sizeof(number));
  return number;
}

}  // namespace detail

template <class Head, class FirstLine>
line_walk::verdict line_walk::next(std::string_view input, std::size_t name_bytes_max, Head& head,
                                   FirstLine take_first_line) {
  const scanner& instructions = chosen_scanner();
  if (instructions.scan == nullptr) {
    return verdict::doubt;
  }
  if (name_end_ != 0 && name_end_ == line_begin_) {
    return end_head(input);
  }
  std::uint16_t positions[scan_positions_max + 1];  // not initialised: this is on the hot path
  for (;;) {
    positions[0] = name_end_;
    std::uint16_t* const fresh = positions + (name_end_ != 0);
    const scan_result found = instructions.scan(input.data(), input.size(), scan_, fresh);
    if (found.end == scan_end::fault) {
      return verdict::doubt;
    }
    const std::uint16_t* at = positions;
    const std::uint16_t* const end = fresh + found.count;
    name_end_ = 0;
    if (is_at_first_line()) {
      if (end - at < 2) {
        return verdict::first_line_unfinished;
      }
      if (!take_first_line(at[0], at[1])) {
        return verdict::doubt;
      }
      line_begin_ = static_cast<std::uint16_t>(at[1] + 1);
      at += 2;
    }
    const auto lines = static_cast<std::size_t>(end - at) / 2;
    if (!take_fields(input.data(), at, lines, name_bytes_max, head)) {
      return verdict::doubt;
    }
    at += 2 * lines;
    if (at != end) {
      name_end_ = *at;
      if (found.end == scan_end::of_head) {
        return end_head(input);
      }
      if (input[name_end_] != ':' || name_end_ == line_begin_) {
        return verdict::doubt;
      }
    }
    if (found.end == scan_end::of_input) {
      const std::size_t name_end = name_end_ == 0 ? input.size() : name_end_;
      return name_end - line_begin_ > name_bytes_max ? verdict::doubt : verdict::need_more;
    }
  }
}

// Takes whole lines: pairs of a name's end and a line feed. False for a doubt. Not inlined, so that
// what the loop needs stays in registers: a third less instructions a field.
template <class Head>
bool line_walk::take_fields(const char* data, const std::uint16_t* at, std::size_t lines,
                            std::size_t name_bytes_max, Head& head) {
  constexpr std::uint16_t colon_and_space =
      std::bit_cast<std::uint16_t>(std::array<char, 2>{':', ' '});
  if (lines > static_cast<std::size_t>(head.fields_max_ - head.field_count_)) {
    return false;
  }
  message_head::entry* to = head.entries_.get() + head.field_count_;
  std::size_t begin = line_begin_;
  for (const std::uint16_t* const end = at + 2 * lines; at != end; at += 2) {
    const std::size_t name_end = at[0];
    const std::size_t lf = at[1];
    const std::size_t name_bytes = name_end - begin;
    value_part value{name_end + 2, lf - 1};
    if (name_bytes - 1 >= name_bytes_max) [[unlikely]] {
      return false;
    }
    // Behind a colon and a space there is at least a carriage return.
    if (detail::load<std::uint16_t>(data + name_end) != colon_and_space ||
        is_blank_or_end(data[value.begin]) || is_blank_or_end(data[value.end - 1])) [[unlikely]] {
      if (data[name_end] != ':') {
        return false;
      }
      value = trim(data, {name_end + 1, lf - 1});
    }
    *to++ = {{static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(name_end)},
             {static_cast<std::uint16_t>(value.begin), static_cast<std::uint16_t>(value.end)}};
    const auto tail = detail::load<std::uint32_t>(data + name_end - 4) | 0x20202020u;
    if (tail == detail::known_tails<Head>[name_bytes % 32]) [[unlikely]] {
      if (field_rules::note(head, {data + begin, name_bytes},
                            {data + value.begin, value.end - value.begin}) != error::none) {
        return false;
      }
    }
    begin = lf + 1;
  }
  line_begin_ = static_cast<std::uint16_t>(begin);
  head.field_count_ = static_cast<std::uint16_t>(head.field_count_ + lines);
  return true;
}

}  // namespace bulkhead::protocol
