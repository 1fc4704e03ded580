// What a client sends: a method, a target, fields and content.
//
// A value: it owns all its parts. Everything is checked where it is set, so that a mistake is
// reported to the line of code that made it and never reaches the wire. Framing and connection
// management (RFC 9112 sections 6 and 9) belong to the connection, which adds Content-Length,
// Transfer-Encoding, Connection and Expect itself.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "protocol/method.hpp"

namespace bulkhead::protocol {

class request {
 public:
  // `target` in the form that fits the method (RFC 9112 section 3.2), percent-encoded; `host` with
  // a port unless it is the scheme's own. Throws std::invalid_argument when the method is no token,
  // the target is malformed or `host` is no host.
  request(std::string_view method, std::string_view target, std::string_view host);

  // Set a field, taking the place of all with that name, or add one more. Names compare without
  // case. Throws std::invalid_argument, naming the field and the fault, when the name is no token,
  // the value has a control character (CR, LF and NUL among them), or the field is the
  // connection's own. After a throw the request is as before. Name and value must not be views into
  // it. Upgrade and TE are named in Connection by themselves.
  request& set(std::string_view name, std::string_view value);
  request& add(std::string_view name, std::string_view value);

  request& set_content(std::string content) {
    content_ = std::move(content);
    return *this;
  }

  // The content waits for the server to want it, RFC 9110 section 10.1.1.
  request& expect_continue() {
    expects_continue_ = true;
    return *this;
  }

  // The connection ends behind the response.
  request& close() {
    closes_ = true;
    return *this;
  }

  // As newly made, but the memory of fields and content is kept for reuse.
  void reset(std::string_view method, std::string_view target, std::string_view host);

  protocol::method known_method() const { return known_method_; }
  bool expects_continue() const { return expects_continue_; }
  bool closes() const { return closes_; }
  std::string_view content() const { return content_; }

  // The value of the first field with this name that was set or added; empty when there is none.
  // A view into this request.
  std::string_view find(std::string_view name) const;

  // It asks for another protocol, RFC 9110 section 7.8.
  bool asks_upgrade() const { return !find("upgrade").empty(); }

  // In wire form, each line with its CRLF: request line and Host, then all fields that were set.
  std::string_view first_lines() const { return first_lines_; }
  std::string_view field_lines() const { return field_lines_; }

 private:
  std::string first_lines_;
  std::string field_lines_;
  std::string content_;
  protocol::method known_method_ = protocol::method::unknown;
  bool expects_continue_ = false;
  bool closes_ = false;
};

}  // namespace bulkhead::protocol
