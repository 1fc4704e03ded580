#include "actors/cli/error_log.hpp"

#include <poll.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace bulkhead::cli {
namespace {

constexpr unsigned lines_a_second_max = 100;
// With its end below PIPE_BUF: a pipe that poll() calls writable takes that much without waiting.
constexpr std::size_t line_bytes_max = 4000;

class lossy_stderr final : public spdlog::sinks::base_sink<std::mutex> {
 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!admits(message.time)) {
      ++left_out_;
      return;
    }
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string text;
    if (left_out_ > 0) text = std::to_string(left_out_) + " lines were left out here\n";
    text.append(line.data(), line.size());
    if (text.size() > line_bytes_max) text.replace(line_bytes_max, std::string::npos, "...\n");
    left_out_ = write(text) ? 0 : left_out_ + 1;
  }
  void flush_() override {}

  bool admits(spdlog::log_clock::time_point now) {
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    if (second != second_) admitted_ = 0;
    second_ = second;
    return ++admitted_ <= lines_a_second_max;
  }

  static bool write(std::string_view text) {
    pollfd error{STDERR_FILENO, POLLOUT, 0};
    return ::poll(&error, 1, 0) > 0 && (error.revents & POLLOUT) &&
           ::write(STDERR_FILENO, text.data(), text.size()) > 0;
  }

  std::chrono::time_point<spdlog::log_clock, std::chrono::seconds> second_{};
  unsigned admitted_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace

void log_to_stderr() {
  auto logger = std::make_shared<spdlog::logger>("bulkhead", std::make_shared<lossy_stderr>());
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace bulkhead::cli
