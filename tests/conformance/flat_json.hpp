// As much JSON as the conformance programs speak: reading objects of strings, booleans, numbers and
// further objects; writing strings. No dependency, so that the programs build wherever we do.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace bulkhead::conformance {

// The members of one object, those of inner objects as "outer.inner". Strings without their quotes
// and escapes, all else as it stands. Throws std::invalid_argument for what it can't read.
std::map<std::string, std::string> read_json(std::string_view text);

// A JSON string of these octets, each taken for the character with that number (ISO 8859-1).
std::string json_string(std::string_view octets);

}  // namespace bulkhead::conformance
