// Request targets and hosts: parts inside the target that make it up, and no surprise in them.
#include "protocol/target.hpp"

#include <string>

#include "protocol/authority.hpp"
#include "protocol/file_path.hpp"
#include "protocol/percent.hpp"
#include "protocol/tokens.hpp"
#include "tests/fuzz/pieces.hpp"

namespace {

using namespace bulkhead;
using namespace bulkhead::protocol;

void require_parts(std::string_view target, const target_parts& parts) {
  for (const std::string_view part : {parts.authority, parts.path, parts.query}) {
    fuzz::require(fuzz::is_inside(part, target), "a part leaves the target");
    fuzz::require(is_all(class_target, part), "a part has an octet that no target may have");
    fuzz::require(has_sound_escapes(part), "a part has a broken escape");
  }
  const std::size_t bytes =
      parts.authority.size() + parts.path.size() + parts.query.size() + parts.has_query;
  switch (parts.form) {
    case target_form::origin:
      fuzz::require(parts.path.starts_with('/') && bytes == target.size(), "origin-form");
      break;
    case target_form::absolute:
      fuzz::require(bytes + 7 == target.size() || bytes + 8 == target.size(), "absolute-form");
      fuzz::require(parts.path.empty() || parts.path.front() == '/', "path of absolute-form");
      break;
    case target_form::authority:
      fuzz::require(parts.authority == target, "authority-form");
      break;
    case target_form::asterisk:
      fuzz::require(target == "*", "asterisk-form");
      break;
  }
  fuzz::require(parts.authority.find('@') == std::string_view::npos, "userinfo");
}

// What is opened has no segment that leads elsewhere.
void require_file_path(std::string_view path) {
  const auto found = to_file_path(path.substr(1), dot_files::refused);
  if (found) {
    const std::string with_slash = '/' + *found;
    fuzz::require(with_slash.find("/.") == std::string::npos, "a segment begins with a dot");
    fuzz::require(with_slash.find("//") == std::string::npos, "a segment is empty");
    fuzz::require(with_slash.find('\0') == std::string::npos, "a NUL");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::fresh_copy copy({reinterpret_cast<const char*>(data), size});
  const std::string_view target = copy.view();
  for (const method known : {method::get, method::connect, method::options}) {
    target_parts parts;
    if (parse_target(target, known, parts) == error::none) {
      require_parts(target, parts);
      if (parts.path.starts_with('/')) {
        require_file_path(parts.path);
      }
    }
  }
  if (is_host_and_port(target)) {
    fuzz::require(is_all(class_target, target) && !target.empty(), "host");
  }
  fuzz::require(!is_host_with_port(target) || is_host_and_port(target), "host with port");
  return 0;
}
