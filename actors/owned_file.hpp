// Content of responses from files that a handler has opened itself.
#pragma once

#include <cstdint>

#include "protocol/file_content.hpp"

namespace bulkhead {

// `bytes` from `offset` on of the file that is open for reading as `descriptor`, for
// response::set_file(). Takes the descriptor over, also when it throws
// (std::bad_alloc): it is closed with the last copy of the response, sent or not.
protocol::file_content owned_file(int descriptor, std::uint64_t offset, std::uint64_t bytes);

}  // namespace bulkhead
