// Characters, lists and authorities for the reference parser, as the RFCs spell them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bulkhead::protocol::test::reference {

using text = std::string_view;

bool is_digit(char c);
bool is_tchar(char c);
bool is_path_char(char c);  // pchar, "/", and the percent sign
bool is_blank(char c);
bool is_control(char c);
bool is_any(char c, text of);

bool all(text octets, bool (*test)(char));
bool escapes_are_sound(text octets);
std::string lowered(text octets);
text trimmed(text octets);

// The members between the commas; none for an empty list.
std::vector<text> members_of(text list);

enum class port { allowed, required };

// uri-host and port, RFC 9110 section 7.2.
bool is_authority(text octets, port wanted);

}  // namespace bulkhead::protocol::test::reference
