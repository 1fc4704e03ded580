#include "sandbox/process/object.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace bulkhead::sandbox {
namespace {

object::loaded refused(const std::string& path, const std::string& why) {
  return {nullptr, path + ": " + why};
}

bool copy(int from, int to) {
  char part[65536];
  std::size_t whole = 0;
  for (;;) {
    const auto got = read(from, part, sizeof part);
    if (got <= 0) return got == 0;
    whole += static_cast<std::size_t>(got);
    if (whole > object::bytes_max || write(to, part, static_cast<std::size_t>(got)) != got)
      return false;
  }
}

}  // namespace

object::loaded object::load(const std::string& path) {
  static std::atomic<std::uint64_t> last_id{0};
  // Not blocking: it might be a pipe.
  const descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat what = {};
  if (!file || fstat(file.get(), &what) != 0) return refused(path, std::strerror(errno));
  if (!S_ISREG(what.st_mode)) return refused(path, "not a regular file");
  descriptor content(memfd_create("bulkhead-guest", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!content) return refused(path, std::strerror(errno));
  if (!copy(file.get(), content.get())) return refused(path, "cannot be read, or is too large");
  if (fcntl(content.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    return refused(path, std::strerror(errno));
  auto made = std::make_shared<object>();
  made->id = ++last_id;
  made->content = std::move(content);
  return {std::move(made), {}};
}

}  // namespace bulkhead::sandbox
