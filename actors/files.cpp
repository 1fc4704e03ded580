#include "actors/files.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>
#include <span>
#include <system_error>
#include <utility>

#include "actors/media_type.hpp"
#include "actors/open_beneath.hpp"
#include "actors/socket.hpp"
#include "protocol/conditional.hpp"
#include "protocol/date.hpp"
#include "protocol/file_path.hpp"
#include "protocol/range.hpp"

namespace bulkhead {

namespace {

using actors::unique_fd;

response not_found() {
  return response::text("not found\n", 404);
}

// What the system said when it was asked to open a file.
response refusal(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case EINVAL:
    case ELOOP:
    case EXDEV:
    case EAGAIN:
    case ENXIO:  // a socket, or the device behind a node is not there
    case ENODEV:
      return not_found();
    case EACCES:
    case EPERM:
      return response::text("forbidden\n", 403);
    case EMFILE:
    case ENFILE:
      return response::text("too many open files\n", 503).set("Retry-After", "1");
    default:
      throw std::system_error(error, std::generic_category(), "cannot open a file");
  }
}

// The folder without its slash; relative, so that the path of no other host can come
// out of it.
response redirect(const request& r) {
  const auto path = r.path();
  auto target = "./" + std::string(path.substr(path.rfind('/') + 1)) + "/";
  if (!r.query().empty()) target.append("?").append(r.query());
  return response::text("see " + target + "\n", 301).set("Location", target);
}

std::string content_range(const protocol::byte_range& range, std::uint64_t size) {
  return fmt::format("bytes {}-{}/{}", range.first, range.last(), size);
}

// Nobody can know it before, and so have put it into a file.
std::string make_boundary() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

// One file as it was when it was opened, and its responses.
class representation {
 public:
  representation(unique_fd fd, const struct stat& facts, std::string_view media_type)
      : fd_(std::move(fd)),
        size_(static_cast<std::uint64_t>(facts.st_size)),
        media_type_(media_type),
        now_(std::time(nullptr)),
        // A date in the future must not be sent (RFC 9110 section 8.8.2.1).
        last_modified_(std::clamp<std::time_t>(facts.st_mtim.tv_sec, 0, now_)),
        tag_(fmt::format("\"{:x}-{:x}-{:x}.{:x}\"", facts.st_ino, facts.st_size,
                         facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)) {}

  response answer(const request& r, protocol::method method) && {
    const protocol::validators current{{tag_, false}, last_modified_};
    switch (protocol::evaluate(r.fields(), method, current, now_)) {
      case protocol::precondition::failed:
        return response::text("precondition failed\n", 412);
      case protocol::precondition::not_modified:
        return described(304);
      case protocol::precondition::proceed:
        break;
    }
    const auto range = protocol::range_to_heed(r.fields(), method, current, now_);
    const auto selected =
        range ? protocol::select_ranges(*range, size_) : protocol::range_selection{};
    switch (selected.what()) {
      case protocol::range_selection::kind::unsatisfiable:
        return response::text("range not satisfiable\n", 416)
            .set("Content-Range", fmt::format("bytes */{}", size_));
      case protocol::range_selection::kind::part:
        return selected.ranges().size() == 1 ? part(selected.ranges().front())
                                             : parts(selected.ranges());
      case protocol::range_selection::kind::whole:
        break;
    }
    return whole();
  }

 private:
  // With what every answer about this file says of it.
  response described(int status) const {
    const auto date = protocol::format_date(last_modified_);
    response result(status);
    result.set("ETag", tag_).set("Last-Modified", {date.data(), date.size()});
    return result;
  }

  response of_type(int status, std::string_view type) const {
    auto result = described(status);
    result.set("Content-Type", type).set("Accept-Ranges", "bytes");
    return result;
  }

  response whole() {
    auto result = of_type(200, media_type_);
    result.set_file(owned_file(fd_.release(), 0, size_));
    return result;
  }

  response part(const protocol::byte_range& range) {
    auto result = of_type(206, media_type_);
    result.set("Content-Range", content_range(range, size_));
    result.set_file(owned_file(fd_.release(), range.first, range.bytes));
    return result;
  }

  response parts(std::span<const protocol::byte_range> ranges) {
    const auto boundary = make_boundary();
    auto result = of_type(206, "multipart/byteranges; boundary=" + boundary);
    auto content = owned_file(fd_.release(), 0, 0);
    content.parts.clear();
    for (const auto& range : ranges)
      content.parts.push_back(
          {fmt::format("{}--{}\r\nContent-Type: {}\r\nContent-Range: {}\r\n\r\n",
                       content.parts.empty() ? "" : "\r\n", boundary, media_type_,
                       content_range(range, size_)),
           range.first, range.bytes});
    content.after = fmt::format("\r\n--{}--\r\n", boundary);
    result.set_file(std::move(content));
    return result;
  }

  unique_fd fd_;
  std::uint64_t size_;
  std::string_view media_type_;
  std::time_t now_;
  std::time_t last_modified_;
  std::string tag_;
};

class folder {
 public:
  folder(const std::string& root, files_settings settings)
      : root_(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
        settings_(std::move(settings)) {
    if (!root_)
      throw std::system_error(errno, std::generic_category(),
                              "cannot open the folder '" + root + "'");
  }

  response answer(const request& r) const {
    const auto method = protocol::method_of(r.method());
    if (method != protocol::method::get && method != protocol::method::head)
      return response::text("method not allowed\n", 405).set("Allow", "GET, HEAD");
    auto path = protocol::to_file_path(r.rest_of_path(), settings_.dot_files
                                                             ? protocol::dot_files::allowed
                                                             : protocol::dot_files::refused);
    if (!path) return not_found();
    const bool wants_index = path->empty() || path->ends_with('/');
    if (wants_index && settings_.index.empty()) return not_found();
    if (wants_index) path->append(settings_.index);
    auto fd = actors::open_beneath(root_.get(), *path);
    if (!fd) return refusal(errno);
    struct stat facts {};
    if (::fstat(fd.get(), &facts) != 0) return refusal(errno);
    if (S_ISDIR(facts.st_mode) && !wants_index && has_index(*path)) return redirect(r);
    if (!S_ISREG(facts.st_mode)) return not_found();
    return representation(std::move(fd), facts, actors::media_type_of(*path)).answer(r, method);
  }

 private:
  bool has_index(const std::string& path) const {
    return !settings_.index.empty() &&
           actors::open_beneath(root_.get(), path + "/" + settings_.index);
  }

  unique_fd root_;
  files_settings settings_;
};

}  // namespace

handler files(const std::string& root, files_settings settings) {
  return [served = std::make_shared<const folder>(root, std::move(settings))](const request& r) {
    return served->answer(r);
  };
}

}  // namespace bulkhead
