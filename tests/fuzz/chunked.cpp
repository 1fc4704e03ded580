// Chunked content: every splitting gives the same content, the same trailers and the same verdict.
#include "protocol/chunked_decoder.hpp"

#include <algorithm>
#include <string>

#include "tests/fuzz/pieces.hpp"

namespace {

using namespace bulkhead;
using namespace bulkhead::protocol;

struct outcome {
  event_kind kind = event_kind::need_more;
  error why = error::none;
  std::size_t consumed = 0;
  std::string content;
  std::string trailers;

  bool operator==(const outcome&) const = default;
};

outcome decode(std::string_view input, bool in_pieces, const limits& bounds) {
  chunked_decoder decoder;
  fuzz::cutter cuts(input);
  outcome result;
  for (std::size_t there = 0; there < input.size();) {
    there = in_pieces ? std::min(there + cuts.next(), input.size()) : input.size();
    for (bool goes_on = true; goes_on;) {
      const fuzz::fresh_copy copy(input.substr(result.consumed, there - result.consumed));
      const event found = decoder.next(copy.view(), bounds);
      fuzz::require(found.consumed <= copy.view().size(), "consumed more than there is");
      fuzz::require(fuzz::is_inside(found.content, copy.view()), "content leaves the input");
      fuzz::require(fuzz::is_inside(found.trailers, copy.view()), "trailers leave the input");
      if (found.kind == event_kind::refused) {
        return {found.kind, found.why, 0, {}, {}};
      }
      result.consumed += found.consumed;
      result.content += found.content;
      if (found.kind == event_kind::end) {
        result.kind = found.kind;
        for (const auto& line : trailer_fields(found.trailers)) {
          result.trailers += std::string(line.name) + '=' + std::string(line.value) + '\n';
        }
        return result;
      }
      fuzz::require(found.kind != event_kind::content || found.consumed > 0, "no progress");
      goes_on = found.kind == event_kind::content;
    }
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  limits tight;
  tight.chunk_extension_bytes_max = 12;
  tight.trailer_bytes_max = 40;
  tight.trailer_fields_max = 2;
  tight.content_bytes_max = 100;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const limits& bounds : {limits{}, tight}) {
    const outcome whole = decode(input, false, bounds);
    fuzz::require(whole == decode(input, true, bounds), "a splitting changes the outcome");
    fuzz::require(whole.content.size() <= bounds.content_bytes_max, "content beyond its limit");
  }
  return 0;
}
