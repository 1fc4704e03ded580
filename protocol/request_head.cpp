#include "protocol/request_head.hpp"

namespace bulkhead::protocol {

void request_head::clear() {
  message_head::clear();
  method_ = target_ = path_ = query_ = authority_ = {};
  known_method_ = protocol::method::unknown;
  form_ = target_form::origin;
  has_slash_path_ = has_query_ = has_host_ = expects_continue_ = false;
}

void request_head::set_target(const target_parts& parts) {
  form_ = parts.form;
  has_query_ = parts.has_query;
  has_slash_path_ = parts.form == target_form::absolute && parts.path.empty();
  authority_ = slice_of(parts.authority);
  path_ = slice_of(parts.path);
  query_ = slice_of(parts.query);
}

}  // namespace bulkhead::protocol
