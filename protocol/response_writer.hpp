// Turns responses into octets.
//
// RFC 9112 sections 4 and 6; RFC 9110 section 6.6.1 for Date. Everything is appended to a
// string whose capacity the caller keeps, so that nothing is allocated in steady state. Free
// functions without state; server_connection knows which of them is due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/chunked_writer.hpp"
#include "protocol/error.hpp"
#include "protocol/framing.hpp"
#include "protocol/method.hpp"
#include "protocol/response.hpp"
#include "protocol/response_context.hpp"
#include "protocol/status.hpp"
#include "protocol/write_error.hpp"

namespace bulkhead::protocol {

// Whether content follows the head: not after HEAD, nor with a status that has none.
constexpr bool content_follows(method request_method, std::uint16_t status) {
  return request_method != method::head && allows_content(status);
}

// Why this response can't answer a request with this method; nothing when it can.
std::optional<write_error> find_fault(const response& answer, method request_method);

// The Connection field with its CRLF; empty when the head needs none. Static storage.
std::string_view connection_line(std::uint16_t status, const head_context& context);

// Status line, fields and the empty line. The response must be without fault.
void write_head(const response& answer, const head_context& context, std::string& out);

// 100 (Continue), RFC 9110 section 15.2.1.
void write_continue(std::string& out);

// The whole answer to a refused request, its reason as content; without content for HEAD.
void write_refusal(error why, method request_method, std::string_view date, std::string& out);

}  // namespace bulkhead::protocol
