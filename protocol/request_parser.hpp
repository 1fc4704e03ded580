// Parses request heads as their octets arrive, RFC 9112 sections 2.2, 3 and 5.
//
// The caller keeps the octets: every call brings all unconsumed input from the head's first octet,
// and the parser goes on where it stopped, so that any splitting costs linear time and gives the
// same verdict. Octets are judged strictly in their order; the first bad one or the first one past
// a limit ends it. Nothing is allocated, nothing recurses, and nothing outside the input is read.
//
// Heads in order are scanned 64 octets at a time (scan/scanner.hpp) and walked line by line
// (line_walk.hpp). A head that may have a fault is read again from its first octet, once, by
// octet_request_parser, which knows every fault: so the fast way can't have a verdict of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "protocol/event.hpp"
#include "protocol/limits.hpp"
#include "protocol/line_walk.hpp"
#include "protocol/octet_request_parser.hpp"
#include "protocol/request_head.hpp"

namespace bulkhead::protocol {

class request_parser {
 public:
  // need_more; head, whose octets are the consumed ones; or refused, after which reset() is the
  // only way on. Until then `input` must begin with the same octets, at any address, and `head`
  // must be the same object. An empty line before the request line belongs to the head.
  event next(std::string_view input, const limits& bounds, request_head& head);

  // Forgets everything: the next input is the beginning of a head.
  void reset() { progress_.emplace<line_walk>(); }

 private:
  // The request line came in pieces; the lines behind it can be walked again.
  struct octets_of_first_line : octet_request_parser {};

  event read_lines(line_walk& lines, std::string_view input, const limits& bounds,
                   request_head& head);
  event read_first_line(octets_of_first_line& octets, std::string_view input, const limits& bounds,
                        request_head& head);
  static bool take_request_line(std::size_t method_end, std::size_t lf, const limits& bounds,
                                request_head& head);
  static bool take_target(request_head& head);
  [[gnu::noinline]] static bool take_other_target(request_head& head);

  std::variant<line_walk, octets_of_first_line, octet_request_parser> progress_;
};

}  // namespace bulkhead::protocol
