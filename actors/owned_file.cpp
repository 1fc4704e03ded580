#include "actors/owned_file.hpp"

#include <memory>
#include <utility>

#include "actors/socket.hpp"

namespace bulkhead {

namespace {

class closing_file final : public protocol::open_file {
 public:
  explicit closing_file(actors::unique_fd fd) : open_file(fd.get()), fd_(std::move(fd)) {}

 private:
  actors::unique_fd fd_;
};

}  // namespace

protocol::file_content owned_file(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  actors::unique_fd fd(descriptor);
  protocol::file_content content;
  content.file = std::make_shared<const closing_file>(std::move(fd));
  content.parts.push_back({{}, offset, bytes});
  return content;
}

}  // namespace bulkhead
