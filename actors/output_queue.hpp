// What a session has to send, in order, and how much of it is sent.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "actors/file_cursor.hpp"

namespace bulkhead::actors {

// Heads and small contents are serialised into `bytes`, so that a batch of
// pipelined answers goes out in one write. One large content may follow; it is
// sent from where it lies, since copying 16 KiB costs 6 % of such a request. Behind
// that, bytes of a file, which never come into our memory.
class output_queue {
 public:
  static constexpr std::size_t copied_content_bytes_max = 4 * 1024;

  // Append here, as long as has_content() is false.
  std::string& bytes() { return bytes_; }
  void set_content(std::string content) { content_ = std::move(content); }
  void set_file(const file_window& window) { file_ = window; }
  // Nothing can be appended until it is sent.
  bool has_content() const { return !content_.empty() || file_.bytes > 0; }

  // In memory, and in all.
  std::size_t memory_size() const { return bytes_.size() + content_.size() - sent_; }
  std::size_t size() const { return memory_size() + static_cast<std::size_t>(file_.bytes); }
  bool empty() const { return size() == 0; }
  // Of all bytes that were ever queued here; those of files when they are sent.
  std::uint64_t queued_total() const { return cleared_ + bytes_.size() + content_.size(); }
  std::size_t capacity() const { return bytes_.capacity() + content_.capacity(); }

  // The unsent parts in memory, for one vectored write.
  std::span<const iovec> unsent();
  // That many more bytes of them are sent.
  void advance(std::size_t bytes);
  // The unsent bytes of the file; due when memory_size() is 0.
  const file_window& file() const { return file_; }
  void advance_file(std::size_t bytes);
  // Forgets them, and says how many they were.
  std::uint64_t drop_file();
  void clear();

 private:
  std::string bytes_;
  std::string content_;
  file_window file_;
  std::size_t sent_ = 0;
  std::uint64_t cleared_ = 0;
  std::array<iovec, 2> parts_{};
};

}  // namespace bulkhead::actors
