#include "actors/workspace.hpp"

#include <utility>

#include "actors/guest_call.hpp"

namespace bulkhead::actors {

namespace {

// Keeps the memory of ordinary strings, returns that of large ones.
void empty(std::string& text) {
  constexpr std::size_t kept_bytes_max = 64 * 1024;
  text.clear();
  if (text.capacity() > kept_bytes_max) text.shrink_to_fit();
}

}  // namespace

workspace::workspace(std::size_t fields_max) : head(fields_max) {}

workspace::~workspace() = default;

void workspace::clear() {
  call.reset();
  handlers.reset();
  input.clear();
  content = {};
  empty(joined_content);
  empty(piece);
  out.clear();
  file.reset();
  answer.reset();
  thrown = nullptr;
  receiver = {};
}

std::size_t workspace::held_bytes() const {
  return input.capacity() + joined_content.capacity() + piece.capacity() + out.capacity();
}

std::unique_ptr<workspace> workspace_pool::take() {
  if (spares_.empty()) return std::make_unique<workspace>(fields_max_);
  auto last = std::move(spares_.back());
  spares_.pop_back();
  return last;
}

void workspace_pool::give_back(std::unique_ptr<workspace> used) {
  used->clear();
  if (spares_.size() < spares_max) spares_.push_back(std::move(used));
}

}  // namespace bulkhead::actors
