// Request heads: every instruction set and every splitting against the reference parser.
#include "protocol/request_parser.hpp"

#include <algorithm>

#include "protocol/scan/instruction_set.hpp"
#include "tests/fuzz/pieces.hpp"
#include "tests/support/reference_parser.hpp"

namespace {

using namespace bulkhead;
using namespace bulkhead::protocol;

void require_same(const test::parsed_request& wanted, const test::parsed_request& found) {
  const std::string difference = test::difference(wanted, found);
  fuzz::require(difference.empty(), difference.c_str());
}

void parse_whole(std::string_view input, const limits& bounds, request_head& head) {
  request_parser parser;
  const event found = parser.next(input, bounds, head);
  fuzz::require(found.consumed <= input.size(), "consumed more than there is");
  require_same(test::parse_by_reference(input, bounds), test::parsed(found, head));
}

void parse_pieces(std::string_view input, const limits& bounds, request_head& head) {
  request_parser parser;
  fuzz::cutter cuts(input);
  for (std::size_t there = 0; there < input.size();) {
    there = std::min(there + cuts.next(), input.size());
    const fuzz::fresh_copy copy(input.substr(0, there));
    const event found = parser.next(copy.view(), bounds, head);
    require_same(test::parse_by_reference(copy.view(), bounds), test::parsed(found, head));
    if (found.kind != event_kind::need_more) {
      break;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const limits usual;
  static const limits tight = [] {
    limits bounds;
    bounds.request_line_bytes_max = 40;
    bounds.head_bytes_max = 200;
    bounds.fields_max = 5;
    bounds.field_name_bytes_max = 17;
    return bounds;
  }();
  static request_head usual_head(usual.fields_max);
  static request_head tight_head(tight.fields_max);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const instruction_set set : instruction_sets) {
    if (is_available(set)) {
      choose_instruction_set(set);
      parse_whole(input, usual, usual_head);
      parse_whole(input, tight, tight_head);
      parse_pieces(input, usual, usual_head);
      parse_pieces(input, tight, tight_head);
    }
  }
  return 0;
}
