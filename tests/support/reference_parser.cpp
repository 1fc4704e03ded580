#include "tests/support/reference_parser.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "tests/support/reference_text.hpp"

namespace bulkhead::protocol::test {

namespace {

using namespace reference;

struct stop {
  event_kind kind;
  error why = error::none;
};

[[noreturn]] void refuse(error why) {
  throw stop{event_kind::refused, why};
}

// --- targets

void take_path_and_query(text octets, parsed_request& head) {
  const std::size_t mark = octets.find('?');
  head.path = octets.substr(0, mark);
  if (mark != text::npos) {
    head.query = octets.substr(mark + 1);
  }
  const bool sound_query =
      all(head.query.value_or(""), [](char c) { return is_path_char(c) || c == '?'; });
  if (!all(head.path, is_path_char) || !sound_query) {
    refuse(error::bad_target);
  }
  if (!escapes_are_sound(octets)) {
    refuse(error::bad_percent_escape);
  }
}

void take_target(parsed_request& head) {
  const text target = head.target;
  if (target.empty()) {
    refuse(error::bad_target);
  }
  if (head.method == "CONNECT") {
    head.form = target_form::authority;
    head.authority = target;
    if (!is_authority(target, port::required)) {
      refuse(error::bad_target_form);
    }
    return;
  }
  if (target.starts_with('/')) {
    return take_path_and_query(target, head);
  }
  if (target == "*") {
    head.form = target_form::asterisk;
    if (head.method != "OPTIONS") {
      refuse(error::bad_target_form);
    }
    return;
  }
  head.form = target_form::absolute;
  const std::string lower = lowered(target);
  const std::size_t scheme = lower.starts_with("http://")    ? 7
                             : lower.starts_with("https://") ? 8
                                                             : 0;
  if (scheme == 0 || target.size() == scheme) {
    refuse(error::bad_target);
  }
  const std::size_t end = std::min(target.find_first_of("/?", scheme), target.size());
  head.authority = target.substr(scheme, end - scheme);
  if (!is_authority(head.authority, port::allowed)) {
    refuse(error::bad_host);
  }
  take_path_and_query(target.substr(end), head);
  if (head.path.empty()) {
    head.path = "/";
  }
}

// --- fields

struct notes {
  std::set<std::string> seen;  // names, in lower case
  std::set<std::string> options;
  text upgrade;
  bool has_upgrade = false;
};

void take_length(text value, parsed_request& head) {
  if (value.empty() || !all(value, is_digit) || (value.size() > 1 && value[0] == '0')) {
    refuse(error::bad_content_length);
  }
  head.content_length = UINT64_MAX;  // for all numbers that have more digits than any limit
  if (value.size() < 20) {
    head.content_length = std::stoull(std::string(value));
  }
}

void take_codings(text value, parsed_request& head) {
  if (value.empty() || value.ends_with(',')) {
    refuse(error::bad_transfer_encoding);
  }
  for (const text coding : members_of(value)) {
    const text name = trimmed(coding.substr(0, coding.find(';')));
    if (head.chunked || name.empty() || !all(name, is_tchar)) {
      refuse(error::bad_transfer_encoding);
    }
    if (lowered(coding) != "chunked") {
      refuse(error::unsupported_transfer_coding);
    }
    head.chunked = true;
  }
}

void take_meaning(const std::string& name, text value, parsed_request& head, notes& noted) {
  const bool repeated = !noted.seen.insert(name).second;
  if (name == "host") {
    if (repeated) {
      refuse(error::repeated_host);
    }
    if (!is_authority(value, port::allowed)) {
      refuse(error::bad_host);
    }
    head.authority = head.authority.empty() ? value : head.authority;
  } else if (name == "content-length") {
    if (repeated) {
      refuse(error::repeated_content_length);
    }
    take_length(value, head);
  } else if (name == "transfer-encoding") {
    take_codings(value, head);
  } else if (name == "connection") {
    for (const text option : members_of(value)) {
      if (!all(option, is_tchar)) {
        refuse(error::bad_connection);
      }
      noted.options.insert(lowered(option));
    }
  } else if (name == "expect" && head.minor_version > 0) {
    for (const text expectation : members_of(value)) {
      if (lowered(expectation) == "100-continue") {
        head.expects_continue = true;
      } else if (!expectation.empty()) {
        refuse(error::unmet_expectation);
      }
    }
  } else if (name == "upgrade" && noted.upgrade.empty()) {
    noted.upgrade = value;
  }
}

void conclude(parsed_request& head, const notes& noted, const limits& bounds) {
  const bool in_http11 = head.minor_version > 0;
  if (in_http11 && !noted.seen.contains("host")) {
    refuse(error::missing_host);
  }
  if (noted.seen.contains("transfer-encoding")) {
    if (noted.seen.contains("content-length")) {
      refuse(error::both_framings);
    }
    if (!in_http11) {
      refuse(error::transfer_encoding_in_http10);
    }
  }
  if (head.content_length.value_or(0) > bounds.content_bytes_max) {
    refuse(error::content_too_large);
  }
  const auto has = [&](const char* option) { return noted.options.contains(option); };
  head.keep_alive = !has("close") && (in_http11 || has("keep-alive"));
  head.upgrade = has("upgrade") && in_http11 ? noted.upgrade : text{};
  head.expects_continue &= head.chunked || head.content_length.value_or(0) > 0;
}

// --- the head

class reader {
 public:
  reader(text input, const limits& bounds) : input_(input), bounds_(bounds) {}

  void read(parsed_request& head) {
    skip_empty_lines();
    const std::size_t line_end = at_ + bounds_.request_line_bytes_max + 2;
    limit_ = std::min(line_end, bounds_.head_bytes_max);
    over_limit_ = error::request_line_too_long;
    read_request_line(head);
    limit_ = bounds_.head_bytes_max;
    over_limit_ = error::head_too_large;
    notes noted;
    while (peek() != '\r') {
      read_field(head, noted);
    }
    ++at_;
    expect_lf();
    head.size_bytes = at_;
    conclude(head, noted, bounds_);
  }

 private:
  // The octet that is next. Running into a limit counts even when no more octets are there.
  char peek() const {
    if (at_ == limit_) {
      refuse(over_limit_);
    }
    if (at_ == input_.size()) {
      throw stop{event_kind::need_more};
    }
    return input_[at_];
  }

  text since(std::size_t begin) const { return input_.substr(begin, at_ - begin); }

  void expect_lf() {
    if (peek() != '\n') {
      refuse(error::bare_cr);
    }
    ++at_;
  }

  // The octet must be this one; else a line feed is bare, a carriage return is `cr`, and any other
  // octet is `other`.
  void expect(char wanted, error cr, error other) {
    const char c = peek();
    if (c != wanted) {
      refuse(c == '\n' ? error::bare_lf : c == '\r' ? cr : other);
    }
    ++at_;
  }

  void skip_empty_lines() {
    for (std::size_t lines = 0; peek() == '\r'; ++lines) {
      if (lines == bounds_.leading_empty_lines_max) {
        refuse(error::too_many_empty_lines);
      }
      ++at_;
      expect_lf();
    }
  }

  void read_request_line(parsed_request& head) {
    std::size_t begin = at_;
    while (is_tchar(peek())) {
      ++at_;
    }
    head.method = since(begin);
    if (head.method.empty()) {  // no line end has anything to end there
      expect(' ', error::bare_cr, error::bad_method);
      refuse(error::bad_method);
    }
    expect(' ', error::bad_request_line, error::bad_method);

    begin = at_;
    while (is_path_char(peek()) || is_any(peek(), "?[]")) {
      ++at_;
    }
    head.target = since(begin);
    expect(' ', error::bad_request_line, error::bad_target);
    take_target(head);

    for (const char c : text("HTTP/")) {
      expect(c, error::bad_version, error::bad_version);
    }
    const char major = peek();
    expect(is_digit(major) ? major : '0', error::bad_version, error::bad_version);
    expect('.', error::bad_version, error::bad_version);
    const char minor = peek();
    expect(is_digit(minor) ? minor : '0', error::bad_version, error::bad_version);
    expect('\r', error::bad_version, error::bad_version);
    if (major != '1') {
      refuse(error::unsupported_version);
    }
    head.minor_version = minor == '0' ? 0 : 1;
    expect_lf();
  }

  void read_field(parsed_request& head, notes& noted) {
    const std::size_t begin = at_;
    if (!is_tchar(peek())) {
      const error other = is_blank(peek()) ? error::line_folding : error::bad_field_name;
      refuse(peek() == '\n' ? error::bare_lf : other);
    }
    if (head.fields.size() == bounds_.fields_max) {
      refuse(error::too_many_fields);
    }
    do {
      ++at_;
      if (at_ - begin > bounds_.field_name_bytes_max) {
        refuse(error::field_name_too_long);
      }
    } while (is_tchar(peek()));
    const text name = since(begin);
    expect(':', error::missing_colon,
           is_blank(peek()) ? error::space_before_colon : error::bad_field_name);

    const std::size_t value_begin = at_;
    while (!is_control(peek()) || peek() == '\t') {
      ++at_;
    }
    const text value = trimmed(since(value_begin));
    expect('\r', error::none, error::bad_field_value);
    expect_lf();
    head.fields.emplace_back(name, value);
    take_meaning(lowered(name), value, head, noted);
  }

  text input_;
  const limits& bounds_;
  std::size_t at_ = 0;
  std::size_t limit_ = 64;  // more than the empty lines may take
  error over_limit_ = error::request_line_too_long;
};

}  // namespace

parsed_request parse_by_reference(std::string_view input, const limits& bounds) {
  parsed_request head;
  try {
    reader(input, bounds).read(head);
    head.kind = event_kind::head;
  } catch (const stop& stopped) {
    head = {};
    head.kind = stopped.kind;
    head.why = stopped.why;
  }
  return head;
}

}  // namespace bulkhead::protocol::test
