#include "protocol/field_lines.hpp"

#include <stdexcept>

#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view separator = ": ";

// Where a line with this name begins, or npos.
std::size_t find_line(std::string_view lines, std::string_view name) {
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1) {
    if (same_word(lines.substr(at, lines.find(':', at) - at), name)) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

void reject_field(std::string_view name, std::string_view fault) {
  throw std::invalid_argument("field \"" + std::string(name) + "\": " + std::string(fault));
}

void check_field_name(std::string_view name) {
  if (!is_token(name)) {
    reject_field(name, name.empty() ? "the name is empty"
                                    : "the name has a character that no token may have");
  }
}

void check_field_value(std::string_view name, std::string_view value) {
  const char* const end = value.data() + value.size();
  const char* const bad = skip(class_value, value.data(), end);
  if (bad != end) {
    const std::string_view what = *bad == '\r'   ? "a carriage return"
                                  : *bad == '\n' ? "a line feed"
                                  : *bad == '\0' ? "a NUL"
                                                 : "a control character";
    reject_field(name, "the value has " + std::string(what) + " at offset " +
                           std::to_string(bad - value.data()));
  }
}

void append_field_line(std::string& lines, std::string_view name, std::string_view value) {
  lines.reserve(lines.size() + name.size() + separator.size() + value.size() + line_end.size());
  for (const std::string_view part : {name, separator, value, line_end}) {
    lines.append(part);
  }
}

void remove_field_lines(std::string& lines, std::string_view name) {
  for (std::size_t at = find_line(lines, name); at != std::string::npos;
       at = find_line(lines, name)) {
    lines.erase(at, lines.find('\n', at) + 1 - at);
  }
}

std::string_view find_field_line(std::string_view lines, std::string_view name) {
  const std::size_t at = find_line(lines, name);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view line = lines.substr(at + name.size() + separator.size());
  return line.substr(0, line.find('\r'));
}

}  // namespace bulkhead::protocol
