// Every way to parse a head against the slow reference parser and against each other.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>

#include "protocol/scan/instruction_set.hpp"
#include "tests/protocol/client_peer.hpp"
#include "tests/protocol/support.hpp"
#include "tests/support/reference_parser.hpp"

using namespace bulkhead::protocol;
using namespace bulkhead::protocol::test;

namespace {

limits tight_limits() {
  limits bounds;
  bounds.request_line_bytes_max = 40;
  bounds.head_bytes_max = 200;
  bounds.fields_max = 5;
  bounds.field_name_bytes_max = 17;
  return bounds;
}

// What inputs are tried with: limits, and a head with room for as many fields.
struct setting {
  explicit setting(const limits& chosen) : bounds(chosen), head(chosen.fields_max) {}

  const limits bounds;
  request_head head;
};

setting usual{limits{}};
setting tight{tight_limits()};  // small inputs reach them

const std::vector<std::string> seeds{
    "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "GET /a%20b/c?d=%7e&e HTTP/1.1\r\nHost: [::1]:8080\r\nAccept: */*\r\nX-Empty:\r\n\r\nrest",
    "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\nhello "
    "there\r\n",
    "PUT http://b.example:81/p?q HTTP/1.1\r\nhost:a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
    "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nX: "
    "\t "
    "a b \t\r\n\r\n",
    "\r\nOPTIONS * HTTP/1.0\r\nConnection: close\r\nX-Latin: caf\xe9\r\n\r\n",
    "CONNECT proxy.example:443 HTTP/1.1\r\nHost: proxy.example:443\r\n\r\n",
    "DELETE /0123456789/0123456789/0123456789/0123456789 HTTP/1.1\r\nUser-Agent: Mozilla/5.0 (X11; "
    "Linux x86_64) AppleWebKit/537.36\r\nHost: images.shop.example\r\nAccept-Encoding: gzip\r\nA: "
    "b\r\nReferer: https://www.shop.example/\r\n\r\nGET /next HTTP/1.1\r\n"};

std::vector<instruction_set> available_sets() {
  std::vector<instruction_set> sets;
  std::ranges::copy_if(instruction_sets, std::back_inserter(sets), is_available);
  return sets;
}

// Calls `visit` with each instruction set of this machine, and leaves the best one chosen.
template <class Visit>
void with_each_set(Visit visit) {
  const instruction_set best = chosen_instruction_set();
  for (const instruction_set set : available_sets()) {
    choose_instruction_set(set);
    visit(set);
  }
  choose_instruction_set(best);
}

// What is wrong with the answers to one input, whole and cut in two; empty when nothing is.
std::string find_fault(std::string_view input, std::size_t cut, setting& chosen) {
  const limits& bounds = chosen.bounds;
  request_head& head = chosen.head;
  const parsed_request wanted = parse_by_reference(input, bounds);
  const parsed_request wanted_half = parse_by_reference(input.substr(0, cut), bounds);
  std::string fault;
  with_each_set([&](instruction_set set) {
    request_parser parser;
    std::string found = difference(wanted, parsed(parser.next(input, bounds, head), head));
    parser.reset();
    const event half = parser.next(input.substr(0, cut), bounds, head);
    if (found.empty()) {
      found = difference(wanted_half, parsed(half, head));
    }
    if (found.empty() && half.kind == event_kind::need_more) {
      found = difference(wanted, parsed(parser.next(input, bounds, head), head));
    }
    if (!found.empty()) {
      fault = std::string(name_of(set)) + ": " + found;
    }
  });
  return fault;
}

// Says it once, and with the input.
bool agree(std::string_view input, std::size_t cut, setting& chosen) {
  const std::string fault = find_fault(input, cut, chosen);
  if (fault.empty()) {
    return true;
  }
  std::string shown;
  for (const char c : input) {
    char octet[5];
    std::snprintf(octet, sizeof(octet), "\\x%02x", static_cast<unsigned char>(c));
    shown += c >= ' ' && c < 0x7f ? std::string(1, c) : octet;
  }
  FAIL_CHECK(fault << " at a cut behind " << cut << " of " << shown);
  return false;
}

std::string randomly_changed(std::mt19937& random) {
  const auto below = [&](std::size_t end) { return random() % end; };
  // Octets that mean something come more often than others.
  constexpr std::string_view telling = "\r\n\r\n\t :;,%?/[]@\x7f\x80\xff GHTP1.0abcdef";
  std::string input = seeds[below(seeds.size())];
  for (std::size_t changes = 1 + below(6); changes > 0; --changes) {
    const std::size_t at = below(input.size());
    const char octet =
        below(4) == 0 ? static_cast<char>(below(256)) : telling[below(telling.size())];
    switch (below(5)) {
      case 0:
        input.insert(at, 1, octet);
        break;
      case 1:
        input.erase(at, 1 + below(8));
        break;
      case 2:
        input.insert(at, input.substr(below(input.size()), below(80)));
        break;
      default:
        input[at] = octet;
    }
    if (input.empty()) {
      input = "G";
    }
  }
  return input;
}

// What a sanitizer's build has time for.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int random_changes = 20000;
#elif defined(__has_feature)
constexpr int random_changes =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ? 20000 : 100000;
#else
constexpr int random_changes = 100000;
#endif

}  // namespace

TEST_CASE("parsers agree with the reference on every change of one octet", "[protocol][fuzz]") {
  for (const std::string& seed : seeds) {
    for (std::size_t at = 0; at < seed.size(); ++at) {
      for (int octet = 0; octet < 256; ++octet) {
        std::string input = seed;
        input[at] = static_cast<char>(octet);
        if (!agree(input, at, usual)) {
          return;
        }
      }
    }
  }
}

TEST_CASE("parsers agree with the reference on random changes", "[protocol][fuzz]") {
  const char* const given = std::getenv("BULKHEAD_SEED");
  const auto seed = given ? static_cast<unsigned>(std::stoul(given)) : std::random_device{}();
  INFO("to repeat: BULKHEAD_SEED=" << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < random_changes; ++i) {
    const std::string input = randomly_changed(random);
    const bool close_to_limits = random() % 4 == 0;
    if (!agree(input, random() % (input.size() + 1), close_to_limits ? tight : usual)) {
      return;
    }
  }
}

TEST_CASE("parsers agree with the reference wherever a block of octets ends", "[protocol][fuzz]") {
  for (std::size_t filler = 0; filler < 200; ++filler) {
    for (const std::string& line :
         {std::string("X: y\r\n"), std::string("X:\r\n"), std::string("X:  \t\r\n"),
          std::string("X\r\n"), std::string("X :y\r\n"), std::string(" y\r\n"),
          std::string("X: \ry\r\n"), std::string("X: y\n"), std::string("X: \x7f\r\n"),
          std::string("\r\nX\x01\n"), std::string("Content-Length: 0\r\n"), std::string("\n")}) {
      const std::string input = "GET / HTTP/1.1\r\nHost: a\r\nF:" + std::string(filler, 'f') +
                                "\r\n" + line + "A: b\r\n\r\n";
      if (!agree(input, input.size() - 7, usual)) {
        return;
      }
    }
  }
}

TEST_CASE("parsers agree with the reference however short the lines are", "[protocol][fuzz]") {
  for (std::size_t filler = 0; filler < 40; ++filler) {
    std::string input = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (int lines = 0; lines < 40; ++lines) {
      input += "A:" + std::string(filler, 'v') + "\r\n";
    }
    input += "\r\n";
    for (std::size_t cut = 0; cut < input.size(); cut += 7) {
      if (!agree(input, cut, usual)) {
        return;
      }
    }
  }
}

TEST_CASE("parsers agree with the reference at every limit", "[protocol][fuzz]") {
  const std::string host = "Host: a\r\n";
  for (std::size_t size = 1; size < 300; ++size) {
    const std::string filler(size, 'x');
    for (const std::string& input :
         {"GET /" + filler + " HTTP/1.1\r\n" + host + "\r\n", filler + " / HTTP/1.1\r\n",
          "GET / HTTP/1.1\r\n" + host + filler + ": y\r\n\r\n",
          "GET / HTTP/1.1\r\n" + host + "X: " + filler + "\r\n\r\n"}) {
      for (setting* chosen : {&usual, &tight}) {
        if (!agree(input, std::min(input.size(), size), *chosen)) {
          return;
        }
      }
    }
  }
  std::string lines = "GET / HTTP/1.1\r\n" + host;
  for (int fields = 2; fields < 105; ++fields) {
    lines += "A:\r\n";
    for (const char* const rest : {"\r\n", "", "A", "\r", "A:\r\n"}) {
      if (!agree(lines + rest, lines.size(), usual)) {
        return;
      }
    }
  }
}

TEST_CASE("parsers say the same for every splitting whatever the instructions", "[protocol]") {
  with_each_set([&](instruction_set set) {
    INFO(name_of(set));
    for (const std::string& seed : seeds) {
      CHECK(parse_head(seed).kind == event_kind::head);
    }
    CHECK(refusal_of(with_fields("X: " + std::string(130, 'x') + "\x01\r\n")) ==
          error::bad_field_value);
    CHECK(refusal_of(with_fields(std::string(130, 'x') + " : y\r\n")) == error::space_before_colon);
  });
}
