#include "actors/file_cursor.hpp"

#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace bulkhead::actors {

void file_cursor::start(std::shared_ptr<const protocol::file_content> content) {
  content_ = std::move(content);
  part_ = 0;
  in_file_ = false;
  taken_ = lent_ = 0;
  skip_empty_parts();
}

bool file_cursor::done() const {
  return !content_ || part_ > content_->parts.size();
}

std::string_view file_cursor::text_of_part() const {
  return part_ < content_->parts.size() ? content_->parts[part_].before : content_->after;
}

std::uint64_t file_cursor::bytes_of_part() const {
  return part_ < content_->parts.size() ? content_->parts[part_].bytes : 0;
}

void file_cursor::skip_empty_parts() {
  for (; !done(); ++part_, in_file_ = false, taken_ = 0) {
    if (!in_file_ && !text_of_part().empty()) return;
    in_file_ = true;
    if (taken_ < bytes_of_part()) return;
  }
}

std::string_view file_cursor::text() const {
  return done() || in_file_ ? std::string_view{} : text_of_part();
}

void file_cursor::take_text() {
  in_file_ = true;
  skip_empty_parts();
}

file_window file_cursor::lend(std::uint64_t bytes_max) {
  lent_ = std::min(bytes_max, bytes_of_part() - taken_);
  return {content_->file->descriptor(), content_->parts[part_].offset + taken_, lent_};
}

void file_cursor::settle(std::uint64_t unsent) {
  taken_ += std::exchange(lent_, 0) - unsent;
  skip_empty_parts();
}

bool file_cursor::read(std::size_t bytes_max, std::string& out) {
  const auto due = lend(bytes_max);
  const auto before = out.size();
  out.resize(before + static_cast<std::size_t>(due.bytes));
  ssize_t got = 0;
  do {
    got = ::pread(due.fd, out.data() + before, static_cast<std::size_t>(due.bytes),
                  static_cast<off_t>(due.offset));
  } while (got < 0 && errno == EINTR);
  const auto bytes = got > 0 ? static_cast<std::size_t>(got) : 0;
  out.resize(before + bytes);
  settle(due.bytes - bytes);
  return bytes > 0;
}

bool is_cached(const file_window& window) {
  const auto there = [&](std::uint64_t offset) {
    char byte = 0;
    const iovec into{&byte, 1};
    // 0 is the end of a file that became shorter: whoever sends it finds that out.
    return ::preadv2(window.fd, &into, 1, static_cast<off_t>(offset), RWF_NOWAIT) >= 0;
  };
  return there(window.offset) && there(window.offset + window.bytes - 1);
}

}  // namespace bulkhead::actors
