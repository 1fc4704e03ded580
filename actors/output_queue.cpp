#include "actors/output_queue.hpp"

#include <algorithm>

namespace bulkhead::actors {

std::span<const iovec> output_queue::unsent() {
  const auto of_bytes = std::min(sent_, bytes_.size());
  const auto of_content = sent_ - of_bytes;
  std::size_t count = 0;
  if (of_bytes < bytes_.size())
    parts_[count++] = {bytes_.data() + of_bytes, bytes_.size() - of_bytes};
  if (of_content < content_.size())
    parts_[count++] = {content_.data() + of_content, content_.size() - of_content};
  return {parts_.data(), count};
}

void output_queue::advance(std::size_t bytes) {
  sent_ += bytes;
  if (empty()) clear();
}

void output_queue::advance_file(std::size_t bytes) {
  file_.offset += bytes;
  file_.bytes -= bytes;
  cleared_ += bytes;
  if (empty()) clear();
}

std::uint64_t output_queue::drop_file() {
  const auto unsent = std::exchange(file_, {}).bytes;
  if (empty()) clear();
  return unsent;
}

void output_queue::clear() {
  cleared_ += bytes_.size() + content_.size();
  // The memory of ordinary answers is kept, that of large ones is returned.
  constexpr std::size_t kept_bytes_max = 64 * 1024;
  bytes_.clear();
  if (bytes_.capacity() > kept_bytes_max) bytes_.shrink_to_fit();
  std::string().swap(content_);  // an assignment would keep the memory
  file_ = {};
  sent_ = 0;
}

}  // namespace bulkhead::actors
