#include "protocol/range.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::string_view unit = "bytes=";

// Saturates instead of wrapping around. Nothing: no digits, or something else among them.
std::optional<std::uint64_t> number(std::string_view text) {
  if (text.empty() || !is_all(class_digit, text)) {
    return std::nullopt;
  }
  constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    value = value > (max - digit) / 10 ? max : value * 10 + digit;
  }
  return value;
}

// int-range or suffix-range, cut to the size; one without bytes is not satisfiable. Nothing: the
// text is neither.
std::optional<byte_range> parse_spec(std::string_view spec, std::uint64_t size) {
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view from = spec.substr(0, dash);
  const std::string_view to = spec.substr(dash + 1);
  const auto first = number(from);
  const auto last = number(to);
  if (from.empty()) {
    if (!last) {
      return std::nullopt;
    }
    const std::uint64_t bytes = std::min(*last, size);
    return byte_range{size - bytes, bytes};
  }
  if (!first || (!last && !to.empty()) || (last && *last < *first)) {
    return std::nullopt;
  }
  if (*first >= size) {
    return byte_range{};
  }
  const std::uint64_t end = last && *last < size ? *last + 1 : size;
  return byte_range{*first, end - *first};
}

bool overlap(const byte_range& a, const byte_range& b) {
  return a.first <= b.last() && b.first <= a.last();
}

}  // namespace

bool range_selection::add(byte_range range) {
  const bool fits = count_ < ranges_max && std::ranges::none_of(ranges(), [&](const auto& other) {
                      return overlap(range, other);
                    });
  if (fits) {
    ranges_[count_++] = range;
  }
  return fits;
}

range_selection select_ranges(std::string_view field, std::uint64_t size_bytes) {
  if (size_bytes == 0 || !same_word(field.substr(0, unit.size()), unit)) {
    return {};
  }
  range_selection selected;
  bool any = false;
  for (auto list = field.substr(unit.size()); !list.empty();) {
    const std::string_view member = take_member(list);
    if (member.empty()) {
      continue;  // empty members of a list mean nothing (section 5.6.1.2)
    }
    const auto range = parse_spec(member, size_bytes);
    if (!range) {
      return {};
    }
    any = true;
    if (range->bytes > 0 && !selected.add(*range)) {
      return {};
    }
  }
  if (any) {
    selected.kind_ =
        selected.count_ > 0 ? range_selection::kind::part : range_selection::kind::unsatisfiable;
  }
  return selected;
}

}  // namespace bulkhead::protocol
