#include "tests/sandbox/house.hpp"

#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace bulkhead::tests {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

std::string blob_of(std::string_view target, std::string_view content) {
  std::string blob;
  sandbox::blob_writer writer(blob);
  writer.field(":method", "POST").field(":target", target).field("host", "a.example");
  if (!writer.finish(content)) throw std::runtime_error("the blob has no place for that");
  return blob;
}

std::string text_of(const outcome& result) {
  if (result.kind != outcome_kind::response)
    return std::string("<") + to_string(result.kind) + " " + std::to_string(result.signal) + " " +
           result.detail + ">";
  sandbox::blob_view view;
  if (sandbox::blob_view::read(result.blob, view) != sandbox::blob_error::none) return "<invalid>";
  return std::string(view.content());
}

sandbox::handler_settings small(const std::string& file) {
  sandbox::handler_settings all;
  all.file = file;
  all.memory_bytes_max = 32u << 20;
  all.request_bytes_max = 64u << 10;
  all.response_bytes_max = 64u << 10;
  all.log_bytes_max = 4u << 10;
  all.wall_max = 20s;
  all.cpu_max = 20s;
  all.load_max = 20s;
  all.retry_after = 10ms;
  return all;
}

belongings count_belongings() {
  const std::filesystem::directory_iterator descriptors("/proc/self/fd");
  belongings all{static_cast<std::size_t>(std::distance(begin(descriptors), end(descriptors))), 0};
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (std::string one; children >> one;) ++all.children;
  }
  return all;
}

house::house(sandbox::process_settings settings) {
  auto started = sandbox::process_executor::start(std::move(settings), *this);
  if (!started.value) throw std::runtime_error(started.error);
  executor_ = std::move(started.value);
}

handler house::add(const sandbox::handler_settings& settings) {
  const auto added = executor_->add(settings, clock::now());
  if (added.value == 0) throw std::runtime_error(added.error);
  return added.value;
}

ticket house::start(handler which, std::string_view target, std::string_view content) {
  const auto made = executor_->start(which, blob_of(target, content), clock::now());
  collect();
  return made;
}

outcome house::wait(ticket which) {
  until([&] { return has(which); });
  auto result = std::move(outcomes_.at(which));
  outcomes_.erase(which);
  return result;
}

void house::collect() {
  for (sandbox::completion one; executor_->next(one);)
    if (!outcomes_.emplace(one.ticket, std::move(one.result)).second)
      throw std::runtime_error("a second outcome for one request");
}

void house::turn(clock::time_point give_up) {
  const auto now = clock::now();
  if (now >= give_up) throw std::runtime_error("waited too long");
  const auto until = std::min(give_up, executor_->next_time());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now);
  std::vector<pollfd> all;
  for (const int fd : watched_) all.push_back({fd, POLLIN, 0});
  poll(all.data(), all.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  for (const auto& one : all)
    if (one.revents != 0) executor_->on_readable(one.fd, clock::now());
  executor_->on_time(clock::now());
  collect();
}

void house::run(std::chrono::milliseconds time) {
  const auto end = clock::now() + time;
  try {
    until([&] { return clock::now() >= end - 1ms; });
  } catch (const std::runtime_error&) {
    if (clock::now() < end) throw;
  }
}

void house::settle(handler which, std::size_t idle) {
  until([&] {
    const auto all = executor_->count(which);
    return all.idle == idle && all.dying == 0 && all.busy == 0;
  });
}

}  // namespace bulkhead::tests
