#pragma once

#include <string_view>

namespace bulkhead::actors {

// The media type that a file's extension stands for, compared without case; text in
// UTF-8. application/octet-stream for any other. Static storage.
std::string_view media_type_of(std::string_view file_name);

}  // namespace bulkhead::actors
