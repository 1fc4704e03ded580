#include "protocol/target.hpp"

#include <algorithm>

#include "protocol/authority.hpp"
#include "protocol/percent.hpp"
#include "protocol/tokens.hpp"

namespace bulkhead::protocol {

namespace {

// pchar, "/" and "?".
bool is_query(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is(class_path, c) || c == '?'; });
}

// A path, which is empty or begins with a slash, and an optional query.
error parse_path_and_query(std::string_view text, target_parts& parts) {
  const char* const end = text.data() + text.size();
  const char* const path_end = skip(class_path, text.data(), end);
  const auto length = static_cast<std::size_t>(path_end - text.data());
  parts.path = text.substr(0, length);
  if (path_end != end) {
    parts.has_query = *path_end == '?';
    parts.query = text.substr(length + 1);
    if (!parts.has_query || !is_query(parts.query)) {
      return error::bad_target;
    }
  }
  return has_sound_escapes(text) ? error::none : error::bad_percent_escape;
}

// What stands behind "http://" or "https://"; empty for any other scheme.
std::string_view after_scheme(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (target.size() > scheme.size() && same_word(target.substr(0, scheme.size()), scheme)) {
      return target.substr(scheme.size());
    }
  }
  return {};
}

error parse_absolute(std::string_view target, target_parts& parts) {
  const std::string_view rest = after_scheme(target);
  const std::size_t authority_end = rest.find_first_of("/?");
  parts.form = target_form::absolute;
  parts.authority = rest.substr(0, authority_end);
  if (rest.empty()) {
    return error::bad_target;
  }
  if (!is_host_and_port(parts.authority)) {
    return error::bad_host;
  }
  return authority_end == std::string_view::npos
             ? error::none
             : parse_path_and_query(rest.substr(authority_end), parts);
}

error parse_authority(std::string_view target, target_parts& parts) {
  parts.form = target_form::authority;
  parts.authority = target;
  return is_host_with_port(target) ? error::none : error::bad_target_form;
}

}  // namespace

error parse_target(std::string_view target, method known, target_parts& parts) {
  if (target.empty()) {
    return error::bad_target;
  }
  if (known == method::connect) {
    return parse_authority(target, parts);
  }
  if (target.front() == '/') {
    return parse_path_and_query(target, parts);
  }
  if (target == "*") {
    parts.form = target_form::asterisk;
    return known == method::options ? error::none : error::bad_target_form;
  }
  return parse_absolute(target, parts);
}

}  // namespace bulkhead::protocol
