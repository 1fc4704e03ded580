// Response heads: every instruction set and every splitting gives the same.
#include "protocol/response_parser.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "protocol/scan/instruction_set.hpp"
#include "tests/fuzz/pieces.hpp"

namespace {

using namespace bulkhead;
using namespace bulkhead::protocol;

// The verdict and everything that the head says, views as positions in the input.
std::string describe(const event& found, const response_head& head, std::string_view input) {
  std::string text = std::to_string(static_cast<int>(found.kind)) + ' ' +
                     std::string(name_of(found.why)) + ' ' + std::to_string(found.consumed);
  if (found.kind != event_kind::head) {
    return text;
  }
  const auto add = [&](std::string_view view) {
    fuzz::require(fuzz::is_inside(view, input.substr(0, found.consumed)), "a view leaves the head");
    text += ' ' + std::to_string(view.empty() ? 0 : view.data() - input.data()) + '+' +
            std::to_string(view.size());
  };
  text += ' ' + std::to_string(head.status()) + ' ' + std::to_string(head.minor_version()) + ' ' +
          std::to_string(head.keep_alive()) + std::to_string(head.chunked()) + ' ' +
          std::to_string(head.content_length().value_or(0)) + ' ' +
          std::string(name_of(head.framing_fault()));
  add(head.reason());
  add(head.upgrade());
  for (const auto [name, value] : head.fields()) {
    add(name);
    add(value);
  }
  return text;
}

std::string parse(std::string_view input, bool in_pieces, const limits& bounds,
                  response_head& head) {
  response_parser parser;
  fuzz::cutter cuts(input);
  std::string text;
  std::size_t there = 0;
  do {
    there = in_pieces ? std::min(there + cuts.next(), input.size()) : input.size();
    const fuzz::fresh_copy copy(input.substr(0, there));
    const event found = parser.next(copy.view(), bounds, head);
    fuzz::require(found.consumed <= there, "consumed more than there is");
    text = describe(found, head, copy.view());
    if (found.kind != event_kind::need_more) {
      break;
    }
  } while (there < input.size());
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const limits usual;
  static const limits tight = [] {
    limits bounds;
    bounds.head_bytes_max = 150;
    bounds.fields_max = 5;
    bounds.field_name_bytes_max = 17;
    return bounds;
  }();
  static response_head usual_head(usual.fields_max);
  static response_head tight_head(tight.fields_max);
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::optional<std::string> wanted[2];
  for (const instruction_set set : instruction_sets) {
    if (!is_available(set)) {
      continue;
    }
    choose_instruction_set(set);
    for (const bool in_pieces : {false, true}) {
      const std::string found[] = {parse(input, in_pieces, usual, usual_head),
                                   parse(input, in_pieces, tight, tight_head)};
      for (int i = 0; i < 2; ++i) {
        fuzz::require(!wanted[i] || *wanted[i] == found[i], found[i].c_str());
        wanted[i] = found[i];
      }
    }
  }
  return 0;
}
