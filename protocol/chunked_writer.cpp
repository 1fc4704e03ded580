#include "protocol/chunked_writer.hpp"

#include "protocol/digits.hpp"

namespace bulkhead::protocol {

void write_chunk_head(std::size_t size, std::string& out) {
  out.append(digits_of(size, 16).view()).append("\r\n");
}

void write_chunk_tail(std::string& out) {
  out.append("\r\n");
}

void write_last_chunk(std::string& out) {
  out.append("0\r\n\r\n");
}

void write_chunk(std::string_view piece, std::string& out) {
  if (!piece.empty()) {
    write_chunk_head(piece.size(), out);
    out.append(piece);
    write_chunk_tail(out);
  }
}

}  // namespace bulkhead::protocol
