#include <string_view>

#include "actors/cli/load_config.hpp"
#include "actors/cli/printable.hpp"

namespace bulkhead::cli {
namespace {

// A basic string. Control characters never get here: each setting's check refuses them.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string list(const std::vector<std::string>& texts) {
  std::string result;
  for (const auto& text : texts) result += (result.empty() ? "[" : ", ") + quoted(text);
  return result.empty() ? "[]" : result + "]";
}

std::string value(const setting& one, config& in) {
  const auto* number = std::get_if<number_setting>(&one.kind);
  if (number) return std::to_string(number->get(in));
  if (const auto* text = std::get_if<text_setting>(&one.kind)) return quoted(text->in(in));
  return list(std::get<texts_setting>(one.kind).get(in));
}

// A file may be called anything, and a comment ends with its line.
std::string comment(std::string text) {
  for (auto& c : text)
    if (is_control(c)) c = '?';
  return text;
}

}  // namespace

std::string to_toml(const loaded_config& of) {
  auto settings_now = of.settings;
  std::string text;
  std::string_view table;
  for (const auto& one : settings()) {
    if (one.table != table) text += "\n[" + std::string(one.table) + "]\n";
    table = one.table;
    const auto origin = of.origins.find(&one);
    text += std::string(one.key) + " = " + value(one, settings_now) + "  # " +
            comment(origin == of.origins.end() ? "default" : origin->second) + "\n";
  }
  return text;
}

}  // namespace bulkhead::cli
