// What the tests of this folder share: every input is fed whole, octet by octet and cut in two at
// every position, and has to give the same answer each time.
#pragma once

#include <catch2/catch.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/chunked_decoder.hpp"
#include "protocol/error.hpp"
#include "protocol/limits.hpp"
#include "protocol/request_head.hpp"
#include "protocol/request_parser.hpp"
#include "protocol/server_connection.hpp"
#include "protocol/trailer_section.hpp"

// Compared by name, and printed by name when a check fails.
namespace Catch {
template <>
struct StringMaker<bulkhead::protocol::error> {
  static std::string convert(bulkhead::protocol::error why) {
    return std::string(bulkhead::protocol::name_of(why));
  }
};
}  // namespace Catch

namespace bulkhead::protocol::test {

inline constexpr std::string_view date = "Sun, 06 Nov 1994 08:49:37 GMT";

// Lengths of the pieces in which an input arrives.
using pieces = std::vector<std::size_t>;

// Calls `feed` with every splitting of `size` octets: whole, in octets, cut at each position.
// Returns what it gave for the whole, and checks that it gives the same for all.
template <class Feed>
auto same_for_every_split(std::size_t size, Feed feed) {
  const auto whole = feed(pieces{size});
  CHECK(feed(pieces(size, 1)) == whole);
  for (std::size_t cut = 1; cut < size; ++cut) {
    const auto in_two = feed(pieces{cut, size - cut});
    if (!(in_two == whole)) {
      INFO("cut behind octet " << cut);
      CHECK(in_two == whole);
    }
  }
  return whole;
}

// "name=value|" for each field.
std::string describe(const trailer_fields& fields);

// --- heads

// Everything that a head says, as text: two heads are alike when their texts are.
std::string describe(const request_head& head);

struct head_outcome {
  event_kind kind = event_kind::need_more;
  error why = error::none;
  std::string text;  // describe(), for event_kind::head

  bool operator==(const head_outcome&) const = default;
};

head_outcome parse_head(std::string_view input, const limits& bounds = {});

// The refusal of an input; error::none when it is a head or the beginning of one.
inline error refusal_of(std::string_view input, const limits& bounds = {}) {
  return parse_head(input, bounds).why;
}

// A well-formed request with these field lines besides Host, each with its CRLF.
inline std::string with_fields(std::string_view lines) {
  return "POST /echo HTTP/1.1\r\nHost: a.example\r\n" + std::string(lines) + "\r\n";
}

// A head parsed whole that keeps its octets: for tests that look at its parts.
class sample_head {
 public:
  explicit sample_head(std::string text);
  const request_head* operator->() const { return &head_; }
  const request_head& operator*() const { return head_; }

 private:
  std::string text_;
  request_head head_;
};

// --- chunked content

struct chunked_outcome {
  event_kind kind = event_kind::need_more;
  error why = error::none;
  std::size_t consumed = 0;  // 0 when refused
  std::string content;       // empty when refused
  std::string trailers;      // describe(), for event_kind::end

  bool operator==(const chunked_outcome&) const = default;
};

chunked_outcome decode_chunked(std::string_view input, const limits& bounds = {});

// --- connections

// What a server that echoes content answers to all of `input`; with how the connection ended.
struct dialogue {
  std::string output;
  error why = error::none;
  bool must_close = false;
  std::size_t unconsumed = 0;

  bool operator==(const dialogue&) const = default;
};

using answerer = std::function<response(const request_head&, const std::string& content)>;

response echo(const request_head& head, const std::string& content);

dialogue converse(std::string_view input, const answerer& answer = echo, const limits& bounds = {});

}  // namespace bulkhead::protocol::test
