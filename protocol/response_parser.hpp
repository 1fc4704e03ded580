// Parses response heads as their octets arrive, RFC 9112 sections 2.2, 4 and 5.
//
// The caller keeps the octets: every call brings all unconsumed input from the head's first octet,
// and the parser goes on where it stopped, so that any splitting costs linear time and gives the
// same verdict. Nothing is allocated, nothing recurses, and nothing outside the input is read. No
// empty line may come before a status line: RFC 9112 section 2.2 allows that for requests only.
// Heads in order are read fast, all others by octet_response_parser: see request_parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "protocol/event.hpp"
#include "protocol/limits.hpp"
#include "protocol/line_walk.hpp"
#include "protocol/octet_response_parser.hpp"
#include "protocol/response_head.hpp"

namespace bulkhead::protocol {

class response_parser {
 public:
  // need_more; head, whose octets are the consumed ones; or refused, after which reset() is the
  // only way on. Until then `input` must begin with the same octets, at any address, and `head`
  // must be the same object.
  event next(std::string_view input, const limits& bounds, response_head& head);

  // Forgets everything: the next input is the beginning of a head.
  void reset() { progress_.emplace<line_walk>(); }

 private:
  struct octets_of_first_line : octet_response_parser {};

  event read_lines(line_walk& lines, std::string_view input, const limits& bounds,
                   response_head& head);
  event read_first_line(octets_of_first_line& octets, std::string_view input, const limits& bounds,
                        response_head& head);
  static bool take_status_line(std::size_t lf, response_head& head);

  std::variant<line_walk, octets_of_first_line, octet_response_parser> progress_;
};

}  // namespace bulkhead::protocol
