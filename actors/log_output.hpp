// Where a log's lines go: a file that can be opened anew, a descriptor, standard output.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "actors/socket.hpp"

namespace bulkhead::actors {

class log_output {
 public:
  // A file, made when it is not there and always appended to; "-": standard output.
  // Throws std::system_error that names the file.
  explicit log_output(std::string path);
  // Somebody else's descriptor: used and not closed.
  explicit log_output(int descriptor) : current_(descriptor) {}
  ~log_output();
  log_output(const log_output&) = delete;
  log_output& operator=(const log_output&) = delete;

  // Opens the file's name again, after a rotation has renamed it: the next write()
  // goes there. Any thread. Throws as the constructor does, and the old file stays.
  // Does nothing for a descriptor or standard output.
  void reopen();

  // Writes whole lines. While a pipe or terminal takes nothing it waits, and asks
  // `gives_up` several times a second. Returns how many bytes went out before an error
  // or that; a line that was torn so is ended before the next. One thread.
  std::size_t write(std::string_view lines, const std::function<bool()>& gives_up);

 private:
  void switch_file();
  std::size_t write_piece(std::string_view piece, const std::function<bool()>& gives_up);

  std::string path_;
  unique_fd own_;              // the file, when it is ours
  int current_ = -1;           // where to write
  std::atomic<int> next_{-1};  // opened by reopen(), not yet used
  bool torn_ = false;
};

}  // namespace bulkhead::actors
