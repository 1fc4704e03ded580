// Content of a response that lies in an open file: the whole of it, a range, or several.
//
// Nothing in protocol/ reads it. The head is written from its size alone, and whoever sends the
// response sends what follows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bulkhead::protocol {

// A file that stays open as long as one of these lives; the derived class closes it.
class open_file {
 public:
  explicit open_file(int descriptor) : descriptor_(descriptor) {}
  virtual ~open_file() = default;
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// A range of the file, and text in front of it: the head of a body part in multipart/byteranges,
// RFC 9110 section 14.6.
struct file_part {
  std::string before{};
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// The parts in order, then `after`. The file must have what the parts name until they are sent: one
// that has become shorter cuts the response off, visibly.
struct file_content {
  std::shared_ptr<const open_file> file{};
  std::vector<file_part> parts{};
  std::string after{};

  // In bytes. The sum must not pass 2^63 - 1.
  std::uint64_t size() const {
    std::uint64_t sum = after.size();
    for (const auto& part : parts) {
      sum += part.before.size() + part.bytes;
    }
    return sum;
  }
};

}  // namespace bulkhead::protocol
