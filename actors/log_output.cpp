#include "actors/log_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

namespace bulkhead::actors {

namespace {

constexpr int ask_interval_ms = 50;

// Not blocking, so that a FIFO that nobody reads is an error and no hang.
int open_log(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0640);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "log " + path);
  return fd;
}

bool is_regular_file(int fd) {
  struct stat about {};
  return ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

// As many whole lines as a pipe takes at once when poll() calls it writable: a blocking
// descriptor then does not block, and the lines of several processes do not mix.
std::string_view first_piece(std::string_view lines) {
  const auto piece = lines.substr(0, PIPE_BUF);
  const auto end = piece.rfind('\n');
  return end == piece.npos ? piece : piece.substr(0, end + 1);
}

bool wait_writable(int fd) {
  pollfd waited{fd, POLLOUT, 0};
  return ::poll(&waited, 1, ask_interval_ms) > 0;
}

}  // namespace

log_output::log_output(std::string path) : path_(std::move(path)) {
  if (path_ == "-") {
    current_ = STDOUT_FILENO;
    return;
  }
  own_.reset(open_log(path_));
  current_ = own_.get();
}

log_output::~log_output() {
  const unique_fd unused(next_.exchange(-1));
}

void log_output::reopen() {
  if (path_.empty() || path_ == "-") return;
  const int opened = open_log(path_);
  const unique_fd unused(next_.exchange(opened));
}

void log_output::switch_file() {
  const int next = next_.exchange(-1);
  if (next < 0) return;
  own_.reset(next);
  current_ = next;
  torn_ = false;
}

std::size_t log_output::write(std::string_view lines, const std::function<bool()>& gives_up) {
  switch_file();
  if (torn_ && write_piece("\n", gives_up) == 0) return 0;
  torn_ = false;
  const bool at_once = is_regular_file(current_);
  std::size_t done = 0;
  while (done < lines.size()) {
    const auto rest = lines.substr(done);
    const auto piece = at_once ? rest : first_piece(rest);
    const auto written = write_piece(piece, gives_up);
    done += written;
    if (written < piece.size()) break;
  }
  torn_ = done > 0 && lines[done - 1] != '\n';
  return done;
}

std::size_t log_output::write_piece(std::string_view piece, const std::function<bool()>& gives_up) {
  std::size_t done = 0;
  while (done < piece.size()) {
    if (!wait_writable(current_)) {
      if (gives_up()) break;
      continue;
    }
    const auto written = ::write(current_, piece.data() + done, piece.size() - done);
    if (written > 0)
      done += static_cast<std::size_t>(written);
    else if (written == 0 || (errno != EINTR && errno != EAGAIN))
      break;
  }
  return done;
}

}  // namespace bulkhead::actors
