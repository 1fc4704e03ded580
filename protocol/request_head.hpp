// One parsed request head, in storage that is made once and used for every request.
//
// RFC 9112 section 3. Views and their lifetimes are those of message_head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/message_head.hpp"
#include "protocol/method.hpp"
#include "protocol/target.hpp"

namespace bulkhead::protocol {

class request_head : public message_head {
 public:
  // Room for `fields_max` field lines.
  explicit request_head(std::size_t fields_max) : message_head(fields_max) {}

  // Request line. The method is a token, compared with its case; the target is as sent.
  std::string_view method() const { return at(method_); }
  protocol::method known_method() const { return known_method_; }
  std::string_view target() const { return at(target_); }
  target_form form() const { return form_; }

  // The path, still percent-encoded: "/" when absolute-form has none, empty for authority-form and
  // asterisk-form. The query comes without its question mark and may be empty although there is
  // one.
  std::string_view path() const { return has_slash_path_ ? std::string_view{"/"} : at(path_); }
  bool has_query() const { return has_query_; }
  std::string_view query() const { return at(query_); }

  // Host and port of the target URI: those of an absolute-form or authority-form target, else the
  // Host field (RFC 9112 section 3.3). Empty only for HTTP/1.0 without either.
  std::string_view authority() const { return at(authority_); }

  // Content, RFC 9112 section 6.3. A request has one of the two framings or no content at all.
  bool has_content() const { return chunked_ || content_length_ > 0; }
  bool expects_continue() const { return expects_continue_ && has_content(); }

 private:
  friend class request_parser;
  friend class octet_request_parser;
  friend class field_rules;

  void clear();
  void set_target(const target_parts& parts);

  slice method_;
  slice target_;
  slice path_;
  slice query_;
  slice authority_;
  protocol::method known_method_ = protocol::method::unknown;
  target_form form_ = target_form::origin;
  bool has_slash_path_ = false;
  bool has_query_ = false;
  bool has_host_ = false;
  bool expects_continue_ = false;
};

}  // namespace bulkhead::protocol
