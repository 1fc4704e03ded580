#include "actors/cli/toml_file.hpp"

// Tens of thousands of lines: only this source includes it.
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

namespace bulkhead::cli {
namespace {

// Thousands of times what every setting takes; a file that never ends must not fill the memory.
constexpr std::size_t file_bytes_max = 1 << 20;

struct file_content {
  std::string text;
  std::string fault;
};

file_content read_file(const std::string& path) {
  errno = 0;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) return {{}, std::strerror(errno)};
  file_content content;
  std::array<char, 16384> piece{};
  while (const auto n = std::fread(piece.data(), 1, piece.size(), file.get())) {
    content.text.append(piece.data(), n);
    if (content.text.size() > file_bytes_max) return {{}, "larger than 1 MiB"};
  }
  if (std::ferror(file.get())) return {{}, std::strerror(errno)};
  return content;
}

std::string_view name_of(toml::node_type type) {
  switch (type) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a float";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
      return "a date";
    case toml::node_type::time:
      return "a time";
    case toml::node_type::date_time:
      return "a date and time";
    case toml::node_type::none:
      break;
  }
  return "nothing";
}

toml_value array_value(const toml::array& array) {
  if (array.is_array_of_tables()) return other_value{"an array of tables"};
  std::vector<std::string> texts;
  for (const auto& element : array) {
    const auto* text = element.as_string();
    if (!text) return other_value{"an array of something else than strings"};
    texts.push_back(text->get());
  }
  return texts;
}

toml_value value_of(const toml::node& node) {
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* array = node.as_array()) return array_value(*array);
  return other_value{name_of(node.type())};
}

void add(toml_file& to, const std::string& table, std::size_t index, const toml::key& key,
         const toml::node& node) {
  to.entries.push_back(
      {table, std::string(key.str()), index, key.source().begin.line, value_of(node)});
}

void add_begin(toml_file& to, const std::string& table, std::size_t index, const toml::table& of) {
  to.entries.push_back({table, {}, index, of.source().begin.line, value_of(of), true});
}

void add_all(toml_file& to, const std::string& table, std::size_t index, const toml::table& from) {
  for (const auto& [key, node] : from) add(to, table, index, key, node);
}

// What comes from outside may hold line ends, and an error is one line.
std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

toml_file read_toml(const std::string& path) {
  const auto content = read_file(path);
  if (!content.fault.empty()) return {{}, {{0, content.fault}}};
  toml_file file;
  try {
    const auto document = toml::parse(content.text);
    for (const auto& [key, node] : document) {
      const std::string name(key.str());
      add(file, "", 0, key, node);
      if (const auto* table = node.as_table()) add_all(file, name, 0, *table);
      if (const auto* array = node.as_array(); array && array->is_array_of_tables())
        for (std::size_t i = 0; i < array->size(); ++i) {
          add_begin(file, name, i + 1, *array->get(i)->as_table());
          add_all(file, name, i + 1, *array->get(i)->as_table());
        }
    }
  } catch (const toml::parse_error& wrong) {
    return {{}, {{wrong.source().begin.line, one_line(wrong.description())}}};
  }
  const auto by_line = [](const toml_entry& a, const toml_entry& b) { return a.line < b.line; };
  std::stable_sort(file.entries.begin(), file.entries.end(), by_line);
  return file;
}

}  // namespace bulkhead::cli
