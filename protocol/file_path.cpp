#include "protocol/file_path.hpp"

#include <cstddef>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

unsigned value_of(char hex_digit) {
  return static_cast<unsigned>(is(class_digit, hex_digit) ? hex_digit - '0'
                                                          : lower(hex_digit) - 'a' + 10);
}

// Appends the decoded segment. False: it holds what no name may hold.
bool decode(std::string_view segment, std::string& out) {
  for (std::size_t at = 0; at < segment.size(); ++at) {
    char c = segment[at];
    if (c == '%') {
      c = static_cast<char>(value_of(segment[at + 1]) * 16 + value_of(segment[at + 2]));
      at += 2;
    }
    if (c == '\0' || c == '/') {
      return false;
    }
    out.push_back(c);
  }
  return true;
}

bool is_allowed(std::string_view name, dot_files with_dot) {
  if (name == "." || name == "..") {
    return false;
  }
  return with_dot == dot_files::allowed || !name.starts_with('.');
}

}  // namespace

std::optional<std::string> to_file_path(std::string_view path, dot_files with_dot) {
  std::string result;
  result.reserve(path.size());
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    const std::size_t begin = result.size();
    if (segment.empty() || !decode(segment, result) ||
        !is_allowed(std::string_view(result).substr(begin), with_dot)) {
      return std::nullopt;
    }
    if (!path.empty()) {
      path.remove_prefix(1);
      result.push_back('/');
    }
  }
  return result;
}

}  // namespace bulkhead::protocol
