// Field lines in wire form, as a message that is being made keeps them: "name: value CRLF", RFC
// 9112 section 5. What breaks a message never gets in.
#pragma once

#include <string>
#include <string_view>

namespace bulkhead::protocol {

// Throws std::invalid_argument that names the field and the fault.
[[noreturn]] void reject_field(std::string_view name, std::string_view fault);

// Throw when the name is no token, or the value has a control character other than HTAB: CR, LF and
// NUL are what header injection is made of.
void check_field_name(std::string_view name);
void check_field_value(std::string_view name, std::string_view value);

// Both checked before. Name and value must not be views into `lines`.
void append_field_line(std::string& lines, std::string_view name, std::string_view value);
void remove_field_lines(std::string& lines, std::string_view name);

// The value of the first line with this name, compared without case; empty when there is none.
std::string_view find_field_line(std::string_view lines, std::string_view name);

}  // namespace bulkhead::protocol
