// What a handler returns: a status, fields and content.
//
// A value: it owns all its parts. Fields are checked where they are set, so that a mistake is
// reported to the line of code that made it and never reaches the wire. Framing and connection
// management (RFC 9112 sections 6 and 9) belong to the server, which adds Date, Content-Length,
// Transfer-Encoding and Connection itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/file_content.hpp"

namespace bulkhead::protocol {

// Gives content piece by piece: appends the next piece to the empty string that it is given, and
// answers whether more will come. Asked only when every piece before is written, so a client that
// reads slowly slows it down and nothing piles up. A throw cuts the response off, visibly. One that
// has nothing yet appends nothing and answers true instead of waiting: the server asks again some
// 20 ms later and nothing is held up meanwhile; the blocking client asks at once.
using content_source = std::function<bool(std::string& piece)>;

// Takes the connection over behind a response with status 101 (RFC 9110 section 7.8).
struct upgrade_handler {
  // Every piece that arrives in the other protocol, first what came behind the request; appends to
  // `out` what is to be sent. The next piece is not read before that is sent. False, or the peer's
  // end: the connection closes behind `out`. A throw resets it.
  std::function<bool(std::string_view received, std::string& out)> receive;
  // The server is shutting down: appends the last words, if the protocol has any.
  std::function<void(std::string& out)> drain{};
};

class response {
 public:
  // Throws std::invalid_argument unless the status is 101 or lies between 200 and 599: interim
  // responses are the server's to send.
  explicit response(int status = 200);

  // Responses with content of a common media type, text in UTF-8.
  static response text(std::string content, int status = 200);
  static response html(std::string content, int status = 200);
  static response json(std::string content, int status = 200);
  static response bytes(std::string content, int status = 200);

  // Set a field, taking the place of all with that name, or add one more. Names compare without
  // case. Throws std::invalid_argument, naming the field and the fault, when the name is no token,
  // the value has a control character, or the field is the server's own; Upgrade needs status 101
  // or 426. After a throw the response is as before. Name and value must not be views into it.
  response& set(std::string_view name, std::string_view value);
  response& add(std::string_view name, std::string_view value);

  response& set_content(std::string content) {
    content_ = std::move(content);
    return *this;
  }

  // Content whose length is not known yet, behind content(); sent in chunks.
  response& set_source(content_source source) {
    source_ = std::move(source);
    file_ = nullptr;
    return *this;
  }
  const content_source& source() const { return source_; }

  // Content from a file, behind content(), with its length in the head; takes the place of a
  // source. Copies of the response share the file, and the last of them closes it.
  response& set_file(file_content file) {
    file_ = std::make_shared<const file_content>(std::move(file));
    source_ = nullptr;
    return *this;
  }
  const std::shared_ptr<const file_content>& file() const { return file_; }

  // Who speaks the protocol that the field Upgrade of this response, status 101, names.
  response& set_upgrade(upgrade_handler handler) {
    upgrade_ = std::make_shared<upgrade_handler>(std::move(handler));
    return *this;
  }
  const std::shared_ptr<upgrade_handler>& upgrade() const { return upgrade_; }

  // The connection ends behind this response.
  response& close() {
    closes_ = true;
    return *this;
  }

  // As newly made, but the memory of fields and content is kept for reuse.
  void reset(int status = 200);

  std::uint16_t status() const { return status_; }
  bool closes() const { return closes_; }
  std::string_view content() const { return content_; }
  // Of content() and file.
  std::uint64_t content_bytes() const { return content_.size() + (file_ ? file_->size() : 0); }
  std::string_view content_type() const;

  // The value of the first field with this name that was set or added; empty when there is none.
  // A view into this response.
  std::string_view find(std::string_view name) const;

  // Moves the content out, for a caller that writes it without a copy. content() is empty after it.
  std::string take_content() { return std::exchange(content_, {}); }

  // All fields but those of the server in wire form, each with its CRLF. The media type of text()
  // and its like stands beside them until a Content-Type is set.
  std::string_view field_lines() const { return field_lines_; }
  std::string_view default_content_type() const { return default_content_type_; }

 private:
  response(int status, std::string content, std::string_view content_type);

  std::string field_lines_;
  std::string content_;
  content_source source_;
  std::shared_ptr<const file_content> file_;
  std::shared_ptr<upgrade_handler> upgrade_;
  std::string_view default_content_type_;  // static storage
  std::uint16_t status_;
  bool closes_ = false;
};

}  // namespace bulkhead::protocol
