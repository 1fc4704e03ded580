// The part of an exchange that sends the file of an answer.
#include <utility>

#include "actors/exchange.hpp"

namespace bulkhead::actors {

namespace {

// Of a file, what the kernel is given at once, and what is read at once: one turn's
// worth, so that neighbours get theirs.
constexpr std::uint64_t file_bytes_sent_once = 128 * 1024;
constexpr std::size_t file_bytes_read_once = 64 * 1024;

}  // namespace

void exchange::begin_file(const protocol::response& answer, workspace& s) {
  s.file.start(answer.file());
  sending_file_ = !s.file.done();
}

// The kernel sends what is in the page cache. What would have to be waited for is
// read instead, in user code's place: a slow disk stops this session alone.
std::optional<exchange::need> exchange::queue_file(workspace& s) {
  if (s.out.has_content()) return need::output;
  s.file.settle();
  if (s.file.done()) {
    end_file(s, reason::served);
    return std::nullopt;
  }
  if (turn_due_) {
    turn_due_ = false;
    return need::turn;
  }
  if (const auto text = s.file.text(); !text.empty()) {
    s.out.bytes() += text;
    s.file.take_text();
    return std::nullopt;
  }
  enter(phase::stream);
  const auto window = s.file.lend(file_bytes_sent_once);
  if (reads_files_ || reads_this_file_ || !is_cached(window)) {
    s.file.settle(window.bytes);
    pending_ = user_code::file;
    return need::user_code;
  }
  s.out.set_file(window);
  turn_due_ = true;
  return need::output;
}

void exchange::read_file_piece(workspace& s) {
  s.piece.clear();
  s.source_has_more = s.file.read(file_bytes_read_once, s.piece);
}

void exchange::deliver_file_piece(workspace& s) {
  if (std::exchange(s.thrown, nullptr) || !s.source_has_more) return cut_file(s);
  s.out.set_content(std::exchange(s.piece, {}));
  turn_due_ = true;
  enter(phase::stream);
}

void exchange::read_this_file(workspace& s) {
  s.file.settle(s.out.drop_file());
  reads_this_file_ = true;
  turn_due_ = false;
}

void exchange::cut_file(workspace& s) {
  constexpr std::string_view what = "the file has become shorter or can't be read";
  s.out.drop_file();
  outcome_ = reason::file_failed;
  broken_ = true;
  closing_ = true;
  end_recorded_ = true;
  log_fault(outcome_, what, s);
  end_file(s, outcome_, what);
}

// The answer in place of an exception has its record already.
void exchange::end_file(workspace& s, reason why, std::string_view detail) {
  if (in_request_)
    finish_request(s, why, detail);
  else
    release_request(s);
}

}  // namespace bulkhead::actors
