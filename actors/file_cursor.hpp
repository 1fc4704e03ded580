// How far the file of a response is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "protocol/file_content.hpp"

namespace bulkhead::actors {

// Bytes of an open file. Whoever gave it keeps the file open.
struct file_window {
  int fd = -1;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// Goes once through a file content, and keeps the file open until reset().
class file_cursor {
 public:
  void start(std::shared_ptr<const protocol::file_content> content);
  void reset() { start(nullptr); }

  // Everything was taken, or there is nothing.
  bool done() const;

  // The text that is due; empty when bytes of the file are.
  std::string_view text() const;
  void take_text();

  // At most `bytes_max` of the bytes that are due, not more than that; taken when
  // settle() says so, for the kernel to send meanwhile.
  file_window lend(std::uint64_t bytes_max);
  // What was lent is sent, but for the last `unsent` bytes.
  void settle(std::uint64_t unsent = 0);

  // Appends at most `bytes_max` of the bytes that are due to `out`, and takes them:
  // for connections that the kernel can't send a file on, and for files that it
  // can't send. May wait for a disk. False: there are none, since the file has
  // become shorter, or it can't be read.
  bool read(std::size_t bytes_max, std::string& out);

 private:
  std::string_view text_of_part() const;
  std::uint64_t bytes_of_part() const;
  void skip_empty_parts();

  std::shared_ptr<const protocol::file_content> content_;
  std::size_t part_ = 0;     // parts.size(): the text behind them all
  bool in_file_ = false;     // the text of this part is taken
  std::uint64_t taken_ = 0;  // bytes of the file, of this part
  std::uint64_t lent_ = 0;
};

// Whether both ends of the window are in the page cache, and so most probably what is
// between: sending it waits for no disk. False when the file system can't tell.
bool is_cached(const file_window& window);

}  // namespace bulkhead::actors
