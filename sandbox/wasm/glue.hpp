// The sources that every module is compiled with, as they are in this program.
#pragma once

#include <string_view>

namespace bulkhead::sandbox {

std::string_view glue_source();
std::string_view glue_header();

}  // namespace bulkhead::sandbox
