// Serves the files of a folder.
#pragma once

#include <string>

#include "actors/handler.hpp"
#include "actors/owned_file.hpp"

namespace bulkhead {

struct files_settings {
  // Whether names that begin with a dot are served: ".git", ".env".
  bool dot_files = false;
  // What a folder is answered with; empty: with 404.
  std::string index = "index.html";
};

// A handler of GET and HEAD for the files below `root`, to be routed so that the rest
// of the path names the file:
//
//   server.get("/static/{path...}", bulkhead::files("./public"));
//
// As a fallback it takes the whole path, and answers other methods with 405.
//
// Sends ETag and Last-Modified; heeds If-Match, If-Unmodified-Since, If-None-Match,
// If-Modified-Since, If-Range and Range, several ranges included (RFC 9110 sections 13
// and 14). A folder is redirected to itself with a slash, then answered with its index.
// 404: there is none, it is neither file nor folder, its name is hidden, or it lies
// outside of the root, also by a symbolic link. 403: the system refuses. 503: no
// descriptor is left. A file that becomes shorter while it is sent ends in a reset,
// reason file_failed; one that is overwritten in place may be sent in parts of both:
// replace files by rename(2).
//
// Content never lies in memory as a whole: the kernel sends it, up to 128 KiB a turn,
// from the page cache. What may wait for a disk counts as user code, so that it holds
// up its own connection alone: opening, and reading what is not in the page cache
// or whose file system can't say so, 64 KiB at a time.
//
// `root` is opened once, here: a folder that is put in its place later is not seen.
// Throws std::system_error that names it when it can't be opened as a folder.
handler files(const std::string& root, files_settings settings = {});

}  // namespace bulkhead
