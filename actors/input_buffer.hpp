// Where a session's input lies while it is read, parsed and used.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace bulkhead::actors {

// A contiguous buffer of unread bytes. Bytes that are consumed can be pinned: a
// head stays in place while its views are used and content is read behind it.
class input_buffer {
 public:
  static constexpr std::size_t initial_bytes = 16 * 1024;
  // A read into less than this is not worth its system call.
  static constexpr std::size_t room_bytes_min = 4 * 1024;
  // Vectorised parsers may read, not use, this many bytes behind the input.
  static constexpr std::size_t padding_bytes = 64;

  input_buffer() { reallocate(initial_bytes); }

  // Views into the buffer live until make_room() or clear().
  std::string_view unread() const { return {data_.get() + begin_, end_ - begin_}; }
  bool empty() const { return begin_ == end_; }
  void consume(std::size_t bytes) { begin_ += bytes; }

  // Keeps the last `bytes` consumed bytes until unpin().
  void pin(std::size_t bytes);
  void unpin() { pinned_end_ = pinned_begin_ = 0; }
  const char* pinned() const { return data_.get() + pinned_begin_; }

  // Free space at the end, at least room_bytes_min; moves or grows when there is
  // less. True: the pinned bytes have moved.
  bool make_room();
  std::span<char> room() { return {data_.get() + end_, capacity_ - end_}; }
  void commit(std::size_t bytes) { end_ += bytes; }

  // Empty, unpinned, and of the initial size again.
  void clear();
  std::size_t capacity() const { return capacity_; }

 private:
  void reallocate(std::size_t capacity);

  std::unique_ptr<char[]> data_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t pinned_begin_ = 0;
  std::size_t pinned_end_ = 0;  // 0: nothing is pinned
};

}  // namespace bulkhead::actors
