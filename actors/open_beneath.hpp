// Opens files of a folder, and nothing outside of it.
#pragma once

#include <string>

#include "actors/socket.hpp"

namespace bulkhead::actors {

// Opens `path`, relative to the open folder, for reading: whatever it is, without
// waiting for the other end of a FIFO. Symbolic links are followed as long as they
// stay below the folder (openat2(2), RESOLVE_BENEATH); a kernel without that, before
// 5.6, follows none. On failure empty, and errno says why: EXDEV for a path that leads
// out, ELOOP for a link that may not be followed.
unique_fd open_beneath(int folder, const std::string& path);

}  // namespace bulkhead::actors
