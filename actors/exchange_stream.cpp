// Answers whose content comes piece by piece.
#include <utility>

#include "actors/describe.hpp"
#include "actors/exchange.hpp"
#include "protocol/response_writer.hpp"

namespace bulkhead::actors {

void exchange::begin_stream(const protocol::response& answer, workspace& s) {
  if (!protocol::allows_content(answer.status()))
    return refuse_answer(protocol::write_error::content_not_allowed, s);
  if (const auto fault = connection_.begin_stream(s.head, answer, shard_.date(), s.out.bytes()))
    return refuse_answer(*fault, s);
  status_ = answer.status();
  // The answer to HEAD ends here; the source is not asked.
  streaming_ = protocol::content_follows(s.head.known_method(), status_);
  if (streaming_)
    enter(phase::stream);
  else
    connection_.finish_stream(s.out.bytes());
}

void exchange::deliver_piece(workspace& s) {
  if (s.thrown) {
    broken_ = true;
    return fail(reason::source_failed, describe(std::exchange(s.thrown, nullptr)), s);
  }
  connection_.write_stream(s.piece, s.out.bytes());
  source_pauses_ = s.source_has_more && s.piece.empty();
  if (s.source_has_more) return enter(phase::stream);
  connection_.finish_stream(s.out.bytes());
  finish_request(s, reason::served);
}

}  // namespace bulkhead::actors
