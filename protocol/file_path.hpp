// From the path of a target to the path of a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bulkhead::protocol {

enum class dot_files : bool { refused, allowed };

// Decodes the escapes (RFC 3986 section 2.1) of a path without its first slash: a relative path for
// the system, with a slash at its end if there was one, empty for the root. Nothing when a segment
// is "." or "..", is empty and not the last, holds a NUL or a slash that was encoded, or begins
// with a dot and such files are refused. The escapes must be sound. This keeps names unambiguous;
// that nothing outside of a folder is opened must be seen to by the system call that opens.
std::optional<std::string> to_file_path(std::string_view path, dot_files with_dot);

}  // namespace bulkhead::protocol
