#include "faults/guests.hpp"

#include <system_error>

namespace bulkhead::faults {
namespace {

// As TOML's basic string.
std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char one : text) {
    if (one == '"' || one == '\\') all += '\\';
    all += one;
  }
  return all + '"';
}

std::string find_guest(const hosted_handler& one, const std::filesystem::path& guests) {
  const auto path = std::filesystem::absolute(guests / one.file);
  std::error_code failed;
  if (std::filesystem::is_regular_file(path, failed)) return path.string();
  throw scenario_error(one.where + ": handler '" + one.path + "': there is no " + path.string() +
                       "; --guests names the folder that has " + one.file);
}

}  // namespace

std::string settings_of_handlers(const scenario& what, const std::filesystem::path& guests) {
  std::string text;
  for (const auto& one : what.handlers)
    text += "[[handler]]\npath = " + quoted(one.path) +
            "\nfile = " + quoted(find_guest(one, guests)) + '\n' + one.rest + '\n';
  return text;
}

}  // namespace bulkhead::faults
