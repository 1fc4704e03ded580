#include "actors/input_buffer.hpp"

#include <cstring>

namespace bulkhead::actors {

void input_buffer::pin(std::size_t bytes) {
  pinned_begin_ = begin_ - bytes;
  pinned_end_ = begin_;
}

bool input_buffer::make_room() {
  if (begin_ == end_) begin_ = end_ = pinned_end_;
  if (capacity_ - end_ >= room_bytes_min) return false;
  // Slide everything down to offset 0, pinned bytes first.
  const auto pinned = pinned_end_ - pinned_begin_;
  const bool moved = pinned > 0 && pinned_begin_ > 0;
  const auto unread = end_ - begin_;
  if (moved) std::memmove(data_.get(), data_.get() + pinned_begin_, pinned);
  pinned_begin_ = 0;
  pinned_end_ = pinned;
  std::memmove(data_.get() + pinned, data_.get() + begin_, unread);
  begin_ = pinned;
  end_ = pinned + unread;
  if (capacity_ - end_ >= room_bytes_min) return moved;
  reallocate(2 * capacity_);
  return pinned > 0;
}

void input_buffer::clear() {
  begin_ = end_ = pinned_begin_ = pinned_end_ = 0;
  if (capacity_ != initial_bytes) reallocate(initial_bytes);
}

void input_buffer::reallocate(std::size_t capacity) {
  auto larger = std::make_unique_for_overwrite<char[]>(capacity + padding_bytes);
  if (end_ > 0) std::memcpy(larger.get(), data_.get(), end_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

}  // namespace bulkhead::actors
