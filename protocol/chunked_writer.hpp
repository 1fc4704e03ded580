// Writes the chunked transfer coding, RFC 9112 section 7.1: a chunk is head, data, tail.
//
// Everything is appended to a string whose capacity the caller keeps.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bulkhead::protocol {

// `size` must not be 0, since that would end the content.
void write_chunk_head(std::size_t size, std::string& out);
void write_chunk_tail(std::string& out);
void write_last_chunk(std::string& out);

// One whole chunk. Nothing for an empty piece.
void write_chunk(std::string_view piece, std::string& out);

}  // namespace bulkhead::protocol
